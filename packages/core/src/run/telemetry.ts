/** Whether anybody listens to the SDK's telemetry. When nobody does it is switched off: it is a large part of the loop's cost. */

interface Channel {
  readonly hasSubscribers?: boolean;
}

let channel: Channel | null | undefined;

/** Unknown means somebody listens. */
export function isTelemetryHeard(): boolean {
  const { AI_SDK_TELEMETRY_INTEGRATIONS: integrations } = globalThis as {
    AI_SDK_TELEMETRY_INTEGRATIONS?: readonly unknown[];
  };
  if (integrations !== undefined && integrations.length > 0) return true;
  if (channel === undefined) channel = openChannel();
  return channel?.hasSubscribers !== false;
}

function openChannel(): Channel | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  const diagnostics = process?.getBuiltinModule?.("node:diagnostics_channel") as
    | { tracingChannel?: (name: string) => Channel }
    | undefined;
  return diagnostics?.tracingChannel?.("ai:telemetry") ?? null;
}
