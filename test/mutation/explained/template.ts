import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('template')

const replaced = because('rendering replaces it before anything reads it')

export const explained: readonly Explanation[] = [
  because('a character constant ends with the quote that it begins with')(
    'evaluate/constant.ts',
    `const isInteger = text.startsWith("'") || (/^0[xX]/.test(text) && !/[pP]/.test(text)) || !/[.eEpP]/.test(text)`,
    `text.startsWith("'") → text.endsWith("'")`,
  ),
  because('the second variable is the dot that a template begins with, which is never boxed')(
    'evaluate/compile-pipeline.ts',
    'const NO_VARIABLE = -1',
    '-1 → +1',
  ),
  replaced('evaluate/run.ts', 'variables: Value[] = []', '[] → ["Stryker was here"]'),
  replaced('evaluate/run.ts', 'boxed: boolean[] = []', '[] → ["Stryker was here"]'),
]
