/*
 * House rules that the stock rules do not cover. Each one is here because breaking it has caused harm.
 */

import { PRIVATE_OPENING, privateWordsIn } from "./private_words.ts";

const FUNCTION_LINES_MAX = 60;
const FILE_LINES_MAX = 250;

/** The driver, which loads no other modules, and the modules that the runtime loads with the first timer anyway. */
const LIGHT: ReadonlySet<string> = new Set(["node:sqlite", "node:buffer", "node:timers"]);

type Context = Deno.lint.RuleContext;
type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

function linesOf(context: Context, node: { readonly range: Deno.lint.Range }): number {
  return context.sourceCode.text.slice(node.range[0], node.range[1]).split("\n").length;
}

/** Lines that hold code: blank lines and lines of comments do not count. */
function codeLines(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$|^\s*\/\/.*$/gm, "");
  return code.split("\n").filter((line) => line.trim() !== "").length;
}

function isTest(context: Context): boolean {
  return /\/(tests|bench)\//.test(context.filename);
}

const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "function-length": {
      create(context) {
        const check = (node: FunctionNode): void => {
          const lines = linesOf(context, node);
          if (lines <= FUNCTION_LINES_MAX || isTest(context)) return;
          context.report({ node, message: `a function of ${lines} lines does more than one thing` });
        };
        return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
      },
    },
    "file-length": {
      create(context) {
        return {
          Program(node): void {
            const lines = codeLines(context.sourceCode.text);
            if (lines <= FILE_LINES_MAX) return;
            context.report({ node, message: `a file of ${lines} lines of code holds more than one idea` });
          },
        };
      },
    },
    // A statement's iterate() ends silently when SQLite fails, so that a page would look complete.
    "no-iterate": {
      create(context) {
        return {
          'CallExpression[callee.property.name="iterate"]'(node: Deno.lint.CallExpression): void {
            context.report({ node, message: "iterate() hides errors: read rows in bounded batches" });
          },
        };
      },
    },
    // Closing another handle on the database file in this process would drop SQLite's locks, and a second module that
    // knows the driver could get its pitfalls wrong.
    "one-driver": {
      create(context) {
        return {
          'ImportDeclaration[source.value="node:sqlite"]'(node: Deno.lint.ImportDeclaration): void {
            if (context.filename.endsWith("/sqlite/connection/database.ts") || isTest(context)) return;
            context.report({
              node,
              message: "only src/store/sqlite/connection/database.ts knows the SQLite driver",
            });
          },
        };
      },
    },
    // A reader should find every unfamiliar word of a comment in the literature.
    "plain-words": {
      create(context) {
        return {
          Program(): void {
            for (const comment of context.sourceCode.getAllComments()) {
              const text = comment.value.replaceAll(/^\s*\*/gm, "").trim();
              for (const message of privateWordsIn(text)) context.report({ node: comment, message });
              if (comment.type === "Block" && PRIVATE_OPENING.test(text)) {
                context.report({
                  node: comment,
                  message: "a comment names the thing, and says what it does",
                });
              }
            }
          },
        };
      },
    },
    // The object of such a literal stays alive until the next full collection: with a getter in the request, each
    // collection of young objects took 3 to 9 ms instead of less than one.
    "no-literal-getter": {
      create(context) {
        return {
          'ObjectExpression > Property[kind="get"]'(node: Deno.lint.Property): void {
            if (isTest(context)) return;
            context.report({
              node,
              message: "a getter in an object literal keeps garbage alive: write a class",
            });
          },
        };
      },
    },
    // Such a module takes 1 to 7 MB and 3 to 25 ms to load, in the main thread and in each worker. Use `import()` for
    // a module that few requests need.
    "light-start": {
      create(context) {
        const isServer = /\/src\/(?!backup\/)/.test(context.filename);
        return {
          ImportDeclaration(node): void {
            const name = node.source.value;
            if (!isServer || isTest(context) || !name.startsWith("node:") || LIGHT.has(name)) return;
            context.report({ node, message: `the server does without ${name}: it starts slowly` });
          },
        };
      },
    },
  },
};

export default plugin;
