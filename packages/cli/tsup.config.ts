import { definePackage } from "../../tsup.base.js";

export default definePackage(["src/index.ts"]);
