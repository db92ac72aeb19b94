/** june/sdk/openai: the AI SDK's provider for OpenAI, at the version June is tested with. */

export * from "@ai-sdk/openai";
