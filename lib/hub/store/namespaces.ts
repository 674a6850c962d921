import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { forbidden, notFound } from './api-errors.ts'
import { builtInLabel } from './built-in-definitions.ts'
import { isDeleted } from './deletion.ts'
import type { Reader } from './reader.ts'

/** The ref of a Namespace. */
export const namespaceRef = (name: string) => ({ group: '', kind: 'Namespace', namespace: '', name })

/** Namespaces that can't be deleted. */
const undeletable: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** Refuses a new object whose namespace does not exist or is terminating, like Kubernetes' NamespaceLifecycle. */
export const requireOpenNamespace = async (
  reader: Reader,
  kind: Kind,
  { metadata }: KubernetesObject,
): Promise<void> => {
  if (!kind.namespaced) return
  const { namespace = '', name } = metadata
  const found = await reader.get(namespaceRef(namespace))
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (!isDeleted(found)) return
  throw forbidden(kind, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}

/** Throws ApiError (403) for the namespaces that a hub needs, and for definitions of built-in kinds. */
export const requireDeletable = (kind: Kind, object: KubernetesObject): void => {
  const { kind: name, group } = refOf(object)
  if (name === 'Namespace' && group === '' && undeletable.has(object.metadata.name))
    throw forbidden(kind, object.metadata.name, 'this namespace may not be deleted')
  if (name === 'CustomResourceDefinition' && object.metadata.labels?.[builtInLabel])
    throw forbidden(kind, object.metadata.name, 'this kind is built into the hub')
}
