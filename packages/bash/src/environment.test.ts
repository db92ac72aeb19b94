import { expect, it } from "vitest";
import { commandEnvironment } from "./environment.js";

it("P21 passes on what programs need, and nothing else of the host", () => {
  const host = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_TIME: "de_DE.UTF-8",
    LANG: "de_DE.UTF-8",
    TERM: "xterm-256color",
    OPENAI_API_KEY: "s3cr3t",
    AWS_SECRET_ACCESS_KEY: "s3cr3t",
    SSH_AUTH_SOCK: "/tmp/agent",
    HTTPS_PROXY: "http://user:s3cr3t@proxy",
    NODE_OPTIONS: "--inspect",
    LD_PRELOAD: "/tmp/a.so",
    BASH_ENV: "/tmp/rc",
    "BASH_FUNC_ls%%": "() { echo s3cr3t; }",
    FORCE_COLOR: "1",
  };
  expect(commandEnvironment(host, {})).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    LC_TIME: "de_DE.UTF-8",
    LANG: "de_DE.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
  });
});

it("P21 the author's variables are added and win; without a language of the host's, programs write UTF-8", () => {
  expect(commandEnvironment({ PATH: "/bin" }, { PATH: "/opt/bin", TERM: "xterm", TOKEN: "t" })).toEqual({
    LANG: "C.UTF-8",
    PATH: "/opt/bin",
    TERM: "xterm",
    NO_COLOR: "1",
    TOKEN: "t",
  });
});
