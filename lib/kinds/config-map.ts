/** ConfigMap: small pieces of configuration. */
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema.ts'
import { flag, map, object, optional, text } from './schema.ts'

const schema = object('Small pieces of configuration.', {
  data: optional(map('Text by key.', text('Text.'))),
  binaryData: optional(map('Bytes by key, base64; no key may be in `data` too.', text('Base64.', { format: 'byte' }))),
  immutable: optional(flag('Whether the data may never change.')),
})

export type ConfigMap = KubernetesObject & TypeOf<typeof schema>

export const configMap: Kind<ConfigMap> = {
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  versions: [
    {
      name: 'v1',
      storage: true,
      schema,
      columns: [
        {
          name: 'Data',
          type: 'string',
          cell: ({ data = {}, binaryData = {} }) => String(Object.keys(data).length + Object.keys(binaryData).length),
        },
      ],
    },
  ],
}
