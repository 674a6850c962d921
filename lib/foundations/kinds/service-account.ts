/** ServiceAccount: an identity that reconcilers act as. */
import type { Kind } from './kind.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import { objectReference } from './object-reference.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, optional, text } from './schema/schema.ts'

const pullSecret = object(
  'Names a Secret in the same namespace.',
  { name: optional(text('Name of the Secret.')) },
  { 'x-kubernetes-map-type': 'atomic' },
)

const mergedByName = { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' } as const

const schema = object('An identity to act as.', {
  secrets: optional(
    list('Secrets that it may use.', objectReference('Names an object.'), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      ...mergedByName,
    }),
  ),
  imagePullSecrets: optional(list('Secrets to pull images with.', pullSecret, { 'x-kubernetes-list-type': 'atomic' })),
  automountServiceAccountToken: optional(flag('Whether the token is mounted into pods.')),
})

export type ServiceAccount = KubernetesObject & TypeOf<typeof schema>

export const serviceAccount: Kind<ServiceAccount> = {
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  native: true,
  versions: [{ name: 'v1', storage: true, schema, columns: [shownAge] }],
}
