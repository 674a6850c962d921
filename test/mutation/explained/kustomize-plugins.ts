import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const word = because('what a memory knows a step by: any word that no other step has will do')

export const explained: readonly Explanation[] = [
  word(
    'plugins/builtin-transformers.ts',
    ": toEach(step(['metadata entries', entries, fieldSpecs], setMetadataEntries(entries, fieldSpecs, budget)))",
    `'metadata entries' → ""`,
  ),
  word(
    'plugins/builtin-transformers.ts',
    "const move = step(['namespace', options], moveTo(options))",
    `'namespace' → ""`,
  ),
  word(
    'plugins/builtin-transformers.ts',
    "toEach(step(['image', imageTag, fieldSpecs], setImages(imageTag, fieldSpecs))),",
    `'image' → ""`,
  ),
  word('plugins/builtin-transformers.ts', "const add = step('hash', resource => {", `'hash' → ""`),
]
