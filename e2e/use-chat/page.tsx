/** A chat page as an application has it: React, useChat, and buttons for what has to be approved. */

import { useChat } from "@ai-sdk/react";
import {
  getStaticToolName,
  isStaticToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ToolUIPart,
} from "ai";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Chat() {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState("");
  return (
    <main>
      <h1>Order desk</h1>
      <ol aria-label="Conversation">
        {messages.map(({ id, role, parts }) => (
          <li key={id} aria-label={role}>
            {parts.map((part, index) => {
              if (part.type === "text") return <p key={index}>{part.text}</p>;
              if (!isStaticToolUIPart(part)) return null;
              return (
                <Call key={part.toolCallId} part={part} onAnswer={(answer) => void addToolApprovalResponse(answer)} />
              );
            })}
          </li>
        ))}
      </ol>
      <p role="status">{error === undefined ? status : error.message}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <label>
          Message <input value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <button type="submit">Send</button>
      </form>
    </main>
  );
}

function Call({
  part,
  onAnswer,
}: {
  part: ToolUIPart;
  onAnswer: (answer: { id: string; approved: boolean; reason?: string }) => void;
}) {
  const [reason, setReason] = useState("");
  const { state } = part;
  const why = reason === "" ? {} : { reason };
  return (
    <section aria-label={getStaticToolName(part)}>
      <output>{state}</output>
      {state === "output-available" && <code>{JSON.stringify(part.output)}</code>}
      {state === "output-denied" && <p>{part.approval.reason}</p>}
      {state === "approval-requested" && (
        <fieldset>
          <legend>
            {String(part.toolMetadata?.["step"])}: {JSON.stringify(part.input)}
          </legend>
          <p>{part.approval.requestReason}</p>
          <label>
            Reason <input value={reason} onChange={(event) => setReason(event.target.value)} />
          </label>
          <button type="button" onClick={() => onAnswer({ id: part.approval.id, approved: true, ...why })}>
            Approve
          </button>
          <button type="button" onClick={() => onAnswer({ id: part.approval.id, approved: false, ...why })}>
            Deny
          </button>
        </fieldset>
      )}
    </section>
  );
}

createRoot(document.getElementById("root")!).render(<Chat />);
