/** june/sdk/google: the AI SDK's provider for Google, at the version June is tested with. */

export * from "@ai-sdk/google";
