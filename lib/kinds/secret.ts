/** Secret: small pieces of data that must stay secret; base64 on the wire. */
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema.ts'
import { flag, map, object, optional, text } from './schema.ts'

const schema = object('Small pieces of data that must stay secret.', {
  data: optional(map('The data by key, base64.', text('Base64 of any bytes.', { format: 'byte' }))),
  stringData: optional(map('Data by key as plain text: only written, it ends up in `data`.', text('Plain text.'))),
  immutable: optional(flag('Whether the data may never change.')),
  type: optional(text('Says which keys to expect.', { default: 'Opaque' })),
})

export type Secret = KubernetesObject & TypeOf<typeof schema>

export const secret: Kind<Secret> = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  shortNames: [],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  sealedFields: ['data'],
  versions: [
    {
      name: 'v1',
      storage: true,
      schema,
      columns: [
        { name: 'Type', type: 'string', jsonPath: '.type' },
        { name: 'Data', type: 'string', cell: ({ data = {} }) => String(Object.keys(data).length) },
      ],
    },
  ],
}

/** The bytes under a key; undefined when there is no such key. */
export const secretBytes = (from: Secret, key: string): Buffer | undefined => {
  if (!from.data || !Object.hasOwn(from.data, key)) return undefined
  return Buffer.from(from.data[key]!, 'base64')
}

/** The UTF-8 text under a key; undefined when there is no such key. */
export const secretText = (from: Secret, key: string): string | undefined => secretBytes(from, key)?.toString('utf8')
