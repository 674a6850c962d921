import type { FieldSpec } from '../field-spec.ts'
import type { ResourceMap } from '../resource-map.ts'
import type { Var } from './var-set.ts'

export const resolveVars = (
  _map: ResourceMap,
  vars: readonly Var[],
  _specs: readonly FieldSpec[],
  _warn: (warning: string) => void,
): void => {
  if (vars.length > 0) throw new Error('vars: not yet')
}
