import type { ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { configMap } from './scene.ts'

export const tenants = [
  { tenant: 'one', n: 1 },
  { tenant: 'two', n: 2 },
]
export const template = configMap('cm-<< inputs.tenant >>', { n: '<< inputs.n | quote >>' })
export const ready = ['Ready=True ReconciliationSucceeded: Reconciliation finished in ...']
export const object = (kind: string, name: string): ObjectRef => ({ group: '', kind, namespace: 'default', name })
export const stored = (kind: string, name: string, content: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default', ...metadata },
  ...content,
})
