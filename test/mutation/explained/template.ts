import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/template')

const replaced = because('rendering replaces it before anything reads it')

export const explained: readonly Explanation[] = [
  because('a character constant ends with the quote that it begins with')(
    'evaluate/constant.ts',
    `const isInteger = text.startsWith("'") || (/^0[xX]/.test(text) && !/[pP]/.test(text)) || !/[.eEpP]/.test(text)`,
    `text.startsWith("'") → text.endsWith("'")`,
  ),
  because('spares a step: there is nothing to store')(
    'evaluate/compile-pipeline.ts',
    'if (stores.length === 0) return commands',
    'stores.length === 0 → false',
  ),
  ...["typeof result === 'string' → false", `'string' → ""`].map(change =>
    because('spares the way through the formats, which give a text as it is')(
      'evaluate/compile.ts',
      "run.write(typeof result === 'string' ? result : printed(run, node, result))",
      change,
    ),
  ),
  replaced('evaluate/run.ts', "output = ''", `'' → "Stryker was here!"`),
  replaced('evaluate/run.ts', 'variables: Value[] = []', '[] → ["Stryker was here"]'),
  replaced('evaluate/run.ts', 'boxed: boolean[] = []', '[] → ["Stryker was here"]'),
  because('the parser asks for no such token, and tells by its text what it did not ask for')(
    'lex.ts',
    "if (c >= '!' && c <= '~') return this.token('char')",
    `'char' → ""`,
  ),
  because('nothing is as large as undefined: it is said for the types')(
    'parse/number.ts',
    'if (whole !== undefined && -(2n ** 63n) <= whole && whole < 2n ** 64n)',
    'whole !== undefined → true',
  ),
  because('it tells how variables are set: without any, nobody asks')(
    'parse/pipeline.ts',
    'let isAssign = false',
    'false → true',
  ),
  because('no other statement has a text, and `undefined` has letters')(
    'parse/parsing.ts',
    "root.every(node => node.type === 'text' && /^\\p{White_Space}*$/u.test(node.text))",
    "node.type === 'text' → true",
  ),
  ...["!body.includes('\\\\') → false", `'\\\\' → ""`].map(change =>
    because('the way by characters gives the same text')(
      'parse/unquote.ts',
      "if (!body.includes('\\\\')) return body",
      change,
    ),
  ),
]
