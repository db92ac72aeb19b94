/** june/sdk/anthropic: the AI SDK's provider for Anthropic, at the version June is tested with. */

export * from "@ai-sdk/anthropic";
