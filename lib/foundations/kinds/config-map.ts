/** ConfigMap: small pieces of configuration. */
import { checkImmutable, checkKeys, decodedSize, maxDataBytes } from './config-data.ts'
import type { Kind } from './kind.ts'
import { shownAge } from './native-columns.ts'
import type { KubernetesObject } from './object.ts'
import type { FieldError } from './schema/field-error.ts'
import { invalid, tooLong } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, map, object, optional, text } from './schema/schema.ts'

const schema = object('Small pieces of configuration.', {
  data: optional(map('Text by key.', text('Text.', { default: '' }))),
  binaryData: optional(map('Bytes by key, base64; no key may be in `data` too.', text('Base64.', { format: 'byte' }))),
  immutable: optional(flag('Whether the data is immutable.')),
})

export type ConfigMap = KubernetesObject & TypeOf<typeof schema>

function checkConfigMap(object: ConfigMap, old?: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = object
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), decodedSize(binaryData))
  return [
    ...checkImmutable(object, old, ['data', 'binaryData']),
    ...checkKeys('data', data),
    ...Object.keys(data)
      .filter(key => Object.hasOwn(binaryData, key))
      .map(key => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...checkKeys('binaryData', binaryData),
    ...(size > maxDataBytes ? [tooLong('[]', maxDataBytes)] : []),
  ]
}

export const configMap: Kind<ConfigMap> = {
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  categories: [],
  namespaced: true,
  hasGeneration: false,
  native: true,
  check: checkConfigMap,
  versions: [
    {
      name: 'v1',
      storage: true,
      schema,
      columns: [
        {
          name: 'Data',
          type: 'string',
          cell: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
        },
        shownAge,
      ],
    },
  ],
}
