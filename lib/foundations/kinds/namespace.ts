/** Namespace: a scope for names, and the boundary of a tenant. */

import type { Kind } from './kind.ts'
import { checkQualifiedName } from './names.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, oneOf, optional, text } from './schema/schema.ts'

/** Unlike metav1.Condition, only type and status are required. */
const condition = object('A step of the deletion.', {
  type: text('Which step.'),
  status: text('Status of the condition: `True`, `False` or `Unknown`.'),
  reason: optional(text('Reason, in one word.')),
  message: optional(text('Human-readable message.')),
  lastTransitionTime: optional(text('Time of the last transition of the status.', { format: 'date-time' })),
})

const schema = object('A scope for names.', {
  spec: optional(
    object('How the object is deleted.', {
      finalizers: optional(
        list('Finalizers that must be removed before the object is deleted.', text('Name of a finalizer.'), {
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    }),
  ),
  status: optional(
    object('State of its deletion.', {
      phase: optional(oneOf('Phase of the namespace.', ['Active', 'Terminating'])),
      conditions: optional(
        list('Progress of the deletion.', condition, {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          'x-kubernetes-patch-merge-key': 'type',
          'x-kubernetes-patch-strategy': 'merge',
        }),
      ),
    }),
  ),
})

export type Namespace = KubernetesObject & TypeOf<typeof schema>

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion']

function checkNamespace(object: Namespace, old?: Namespace): FieldError[] {
  if (old) return []
  return (object.spec?.finalizers ?? []).flatMap(finalizer => {
    const problems = checkQualifiedName(finalizer)
    if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer))
      problems.push('name is neither a standard finalizer name nor is it fully qualified')
    return problems.map(problem => invalid('spec.finalizers', finalizer, problem))
  })
}

export const namespace: Kind<Namespace> = {
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  categories: [],
  namespaced: false,
  names: 'label',
  hasGeneration: false,
  native: true,
  always: { spec: {}, status: {} },
  check: checkNamespace,
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [{ name: 'Status', type: 'string', jsonPath: '.status.phase' }, shownAge],
    },
  ],
}
