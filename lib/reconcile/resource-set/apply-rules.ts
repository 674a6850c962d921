import { operatorAnnotation } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSetRun } from './run.ts'

export const fieldManager = 'flux-operator'

/** How the objects of a ResourceSet are compared and written. */
export const applyRules = ({ applier: set, owner }: Pick<ResourceSetRun, 'applier' | 'owner'>) => ({
  ...{ fieldManager, owner },
  force: operatorAnnotation(set, 'force')?.toLowerCase() === 'enabled',
})
