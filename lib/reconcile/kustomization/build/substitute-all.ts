import { SubstitutionError } from '../../../engines/substitute/expression.ts'
import { substituteVariables } from '../../../engines/substitute/substitute-variables.ts'
import { emitJson } from '../../../engines/yaml/emit-json.ts'
import type { JsonObject } from '../../../engines/yaml/json-value.ts'
import type { Budget } from '../../../foundations/budget/budget.ts'
import type { Manifest } from './build-cache.ts'

/** Substitutes variables in the manifests. Fails with a SubstitutionError that names the file, or with BudgetExceeded. */
export const substituteAll = (
  manifests: readonly Manifest[],
  variables: ReadonlyMap<string, string>,
  options: { readonly strict: boolean; readonly budget: Budget },
): readonly Manifest[] =>
  manifests.map(manifest => {
    const { object, origin } = manifest
    try {
      const after = substituteVariables(object, variables, options)
      return { ...manifest, object: after, yaml: emitJson(after as unknown as JsonObject) }
    } catch (error) {
      if (!(error instanceof SubstitutionError) || !origin) throw error
      throw new SubstitutionError(`${error.message} (from ${origin})`)
    }
  })
