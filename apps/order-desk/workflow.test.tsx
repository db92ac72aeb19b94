import { Tool, run } from "june";
import { checkCapabilities } from "june/testing";
import { describe, expect, it, vi } from "vitest";
import { trackParcel } from "./orders.js";
import OrderDesk from "./workflow.js";

vi.spyOn(console, "error").mockImplementation(() => {});

describe("the order desk", () => {
  it("looks the order up in code, then lets the model track the parcel", async () => {
    const { output, trace } = await run(<OrderDesk order="A-17" question="Where is my tea?" />, {
      trace: { capture: "full" },
    });
    expect(output).toBe("Your parcel was last seen at sorting centre, Bergen, on 2026-11-30.");
    const [desk] = trace.root.children;
    expect(desk?.children[0]).toMatchObject({ kind: "tool-call", name: "lookUpOrder", invocation: "application" });
    const agent = desk?.children.find(({ kind }) => kind === "agent");
    expect(agent?.capabilities).toEqual([{ name: "trackParcel", source: "<Tool use={trackParcel}>" }]);
    expect(agent?.children[0]).toMatchObject({ kind: "step", name: "desk", called: ["trackParcel"] });
  });

  it("grants nothing where there is no parcel", async () => {
    const { output, trace } = await run(<OrderDesk order="A-18" />);
    expect(output).toBe("Your order is paid and leaves us with the next collection.");
    expect(trace.root.children[0]?.children.find(({ kind }) => kind === "agent")?.capabilities).toBeUndefined();
  });

  it("asks no model about an order that is not there", async () => {
    const { output, usage } = await run(<OrderDesk order="Z-1" />);
    expect([output, usage.total.totalTokens]).toEqual(["There is no order Z-1.", 0]);
  });

  it("P1 has a tool that holds", async () => {
    const report = await checkCapabilities(<Tool use={trackParcel} />, {
      samples: { trackParcel: [{ parcel: "P-901" }] },
    });
    expect(report.problems, String(report)).toEqual([]);
  });
});
