import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/kustomize')

const quick = because('plain names go the quick way, which comes to the same')
const falsy = because('undefined is as good as false, and is what comes back either way')
const word = because('what a memory knows a step by: any word that no other step has will do')

export const explained: readonly Explanation[] = [
  word(
    'transformers/apply-strategic-patch.ts',
    "applyToSame: step(['strategic patch', key, options], resource =>",
    `'strategic patch' → ""`,
  ),
  word(
    'transformers/apply-strategic-patch.ts',
    "applyToOther: step(['strategic patch of a target', key, options], resource => {",
    `'strategic patch of a target' → ""`,
  ),
  word(
    'transformers/legacy-patches.ts',
    "const apply = step(['json patch of a named target', text], resource => applyJsonPatch(resource, patch, budget))",
    `'json patch of a named target' → ""`,
  ),
  word(
    'transformers/patches.ts',
    "const patches = attempt(() => read(['patches', origin, text], () => readResources(text, environment, origin)))",
    `'patches' → ""`,
  ),
  word(
    'transformers/patches.ts',
    "return { entry, source, change: step(['json patch', text], jsonChange(operations, budget)) }",
    `'json patch' → ""`,
  ),
  word(
    'transformers/replicas.ts',
    "const set = step(['replicas', String(count), spec], resource => replicaField(resource, count, spec))",
    `'replicas' → ""`,
  ),

  quick('transformers/images.ts', 'if (/^[a-zA-Z0-9/_-]*$/.test(name))', '/^[a-zA-Z0-9/_-]*$/.test(name) → false'),
  quick('transformers/images.ts', 'if (/^[a-zA-Z0-9/_-]*$/.test(name))', '/^[a-zA-Z0-9/_-]*$/ → /^[a-zA-Z0-9/_-]$/'),

  falsy('transformers/images.ts', 'return () => false', '() => false → () => undefined'),
]
