/** An access control list for references from other namespaces, which HelmRepositories and ImageRepositories have. */
import type { TypeOf } from './schema/schema.ts'
import { list, map, object, optional, text } from './schema/schema.ts'

export const accessFrom = object('Access from other namespaces.', {
  namespaceSelectors: list(
    'Namespaces with access.',
    object('Selects namespaces.', {
      matchLabels: optional(map('Labels that a namespace must have.', text('Value of a label.'))),
    }),
  ),
})

export type AccessFrom = TypeOf<typeof accessFrom>
