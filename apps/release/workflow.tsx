/**
 * A release helper: reads a project, has its release notes written, and releases it when a person allows that.
 * `june run apps/release/workflow.tsx` takes a sample project; `--prop repo=PATH` takes one of your own.
 */

import { Agent, Inherit, RequireApproval, Step, Tool, type JuneElement } from "june";
import { chooseModel } from "./choose-model.js";
import { deployTool } from "./deploy.js";
import { Repository } from "./repository.js";
import { openRepositoryFolder } from "./repository-folder.js";

const surveyPrompt = `Survey this repository for its next release: read package.json, CHANGELOG.md and the commits since
the last tag. Choose the next version by semantic versioning from the version in package.json and those commits.
Answer in this form, or say in one sentence why there is nothing to release:
Next version: 1.2.3
Commits:
- one line for each commit, as it is`;

const notesPrompt = (survey: unknown): string => `Write the release notes for the version below, for people who use the
package, in the style of CHANGELOG.md. Answer with the notes alone, opening with a heading that names the version.
When there is nothing to release, answer with the reason alone.

${survey}`;

const deployPrompt = (notes: unknown): string => `Deploy the release with exactly these notes, then say in one or two
sentences what was done. When it was denied or failed, try nothing else and say that nothing was deployed, and why.
When there are no notes but a reason why not, deploy nothing and give the reason.

${notes}`;

export default async function Release({ repo }: { repo?: string }): Promise<JuneElement> {
  const folder = await openRepositoryFolder(repo);
  const model = await chooseModel();
  return (
    <Agent
      name="release"
      model={model}
      instructions="You prepare releases. Rely on what the tools give, and invent nothing."
    >
      <Repository folder={folder} />
      <RequireApproval reason="It tags the repository and writes the release notes into it.">
        <Tool name="deploy" value={deployTool(folder)} />
      </RequireApproval>

      <Step id="survey" prompt={surveyPrompt} />

      <Agent name="writer" model={model} instructions="You write release notes: short, concrete, without advertising.">
        <Inherit capabilities={["readFile"]} />
        <Step id="notes" prompt={({ survey }) => notesPrompt(survey)} />
      </Agent>

      <Step id="deploy" prompt={({ notes }) => deployPrompt(notes)} />
    </Agent>
  );
}
