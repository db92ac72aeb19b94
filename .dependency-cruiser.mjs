/**
 * Who may import whom, between packages and between the stages inside core. `pnpm check:imports` holds it.
 * The same lists are explained in ARCHITECTURE.md; a new package or stage is added here first.
 */

const capabilityPackages = ["files", "bash", "github", "mcp"];

/** Package folder → the package folders its `src` may import. */
const allowedPackages = {
  core: [],
  ...Object.fromEntries(capabilityPackages.map((name) => [name, ["core"]])),
  store: ["core"],
  restate: ["core"],
  otel: ["core"],
  agent: ["core", "mcp"],
  studio: ["core", "store"],
  cli: ["core", "store", "agent", "studio", "mcp", "restate"],
  june: ["core", "cli", ...capabilityPackages],
  "create-june": ["cli"],
};
const packagesOfApps = ["june", ...capabilityPackages];

/** Folders of packages/core/src in the order of a run: a file imports from its own stage and from those before it. */
const coreStages = ["errors", "element", "components", "capability", "trace", "render", "run", "testing"];

/** Entry file of packages/core/src → the last stage it may reach. */
const coreEntries = { "jsx-runtime": "element", "jsx-dev-runtime": "element", trace: "trace", testing: "testing" };

const testFiles = "(\\.test(-d)?\\.tsx?$|^packages/[^/]+/test/|/test-support/)";
const anyOf = (names) => `(${names.join("|")})`;
const stagesAfter = (stage) => coreStages.slice(coreStages.indexOf(stage) + 1);

const betweenPackages = Object.entries(allowedPackages).map(([name, allowed]) => ({
  name: `packages/${name}`,
  comment: `packages/${name} may import ${allowed.length === 0 ? "no other package" : allowed.join(", ")}.`,
  severity: "error",
  from: { path: `^packages/${name}/`, pathNot: testFiles },
  to: { path: "^(packages|apps)/", pathNot: `^packages/${anyOf([name, ...allowed])}/` },
}));

const insideCore = [
  ...coreStages.map((stage) => ({
    name: `core-stage/${stage}`,
    comment: `packages/core/src/${stage} may import from ${stage} and the stages before it: ${coreStages.join(" → ")}.`,
    severity: "error",
    from: { path: `^packages/core/src/${stage}/`, pathNot: testFiles },
    to: { path: `^packages/core/src/(${[...stagesAfter(stage).map((later) => `${later}/`), "[^/]+$"].join("|")})` },
  })),
  ...Object.entries(coreEntries).map(([entry, lastStage]) => ({
    name: `core-entry/${entry}`,
    comment: `@june/core/${entry} reaches no stage after ${lastStage}.`,
    severity: "error",
    from: { path: `^packages/core/src/${entry}\\.ts$` },
    to: {
      path: `^packages/core/src/(${[...stagesAfter(lastStage).map((later) => `${later}/`), "index\\.ts$"].join("|")})`,
    },
  })),
];

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...betweenPackages,
    ...insideCore,
    {
      name: "package-without-rule",
      comment: "A package that the list of allowed imports does not name: add it there.",
      severity: "error",
      from: { path: "^packages/", pathNot: `^packages/${anyOf(Object.keys(allowedPackages))}/` },
      to: {},
    },
    {
      name: "apps",
      comment: `An app imports ${packagesOfApps.join(", ")} and itself.`,
      severity: "error",
      from: { path: "^apps/([^/]+)/" },
      to: { path: "^(packages|apps)/", pathNot: [`^packages/${anyOf(packagesOfApps)}/`, "^apps/$1/"] },
    },
    {
      name: "another-packages-files",
      comment: "A package is imported by its name, never by a path into its folder.",
      severity: "error",
      from: { path: "^(packages|apps)/([^/]+)/" },
      to: { path: "^(packages|apps)/", pathNot: "^$1/$2/", dependencyTypes: ["local"] },
    },
    {
      name: "studio-reads-traces",
      comment: "The studio needs @june/core/trace only.",
      severity: "error",
      from: { path: "^packages/studio/", pathNot: testFiles },
      to: { path: "^packages/core/", pathNot: "^packages/core/src/trace\\.ts$" },
    },
    {
      name: "core-runs-anywhere",
      comment: "Core runs in a Worker: no Node built-in but AsyncLocalStorage, in element/active.ts.",
      severity: "error",
      from: { path: "^packages/core/src/", pathNot: testFiles },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?async_hooks$" },
    },
    {
      name: "one-async-local-storage",
      comment: "The one AsyncLocalStorage sits in element/active.ts.",
      severity: "error",
      from: { path: "^packages/core/src/", pathNot: [testFiles, "^packages/core/src/element/active\\.ts$"] },
      to: { path: "^(node:)?async_hooks$" },
    },
    {
      name: "zod-in-the-trace-only",
      comment: "Core takes any schema the AI SDK takes; only the trace's own schema is written with zod.",
      severity: "error",
      from: { path: "^packages/core/src/", pathNot: [testFiles, "^packages/core/src/trace/"] },
      to: { path: "node_modules/zod/" },
    },
    {
      name: "cycle",
      comment:
        "Files that import each other in a circle at run time (records whose types name each other are not one).",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "undeclared",
      comment: "An import that the package's own package.json does not declare for those who install it.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testFiles },
      to: { path: "node_modules/", dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "development-only",
      comment: "Published code imports a package that is only a devDependency.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testFiles },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm", "npm-peer"] },
    },
    {
      name: "unresolvable",
      comment: "An import that leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@june/source", "import", "types", "node", "default"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
    },
  },
};
