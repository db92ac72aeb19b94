import { definePackage } from "../../tsup.base.js";

export default definePackage(["src/**/*.ts", "!src/**/*.test.ts"]);
