import type { ValueMap } from '../../template/values/value.ts'
import draft4 from './metaschemas/draft-04-schema.json' with { type: 'json' }
import draft6 from './metaschemas/draft-06-schema.json' with { type: 'json' }
import draft7 from './metaschemas/draft-07-schema.json' with { type: 'json' }
import applicator2019 from './metaschemas/draft-2019-09-meta-applicator.json' with { type: 'json' }
import content2019 from './metaschemas/draft-2019-09-meta-content.json' with { type: 'json' }
import core2019 from './metaschemas/draft-2019-09-meta-core.json' with { type: 'json' }
import format2019 from './metaschemas/draft-2019-09-meta-format.json' with { type: 'json' }
import metaData2019 from './metaschemas/draft-2019-09-meta-meta-data.json' with { type: 'json' }
import validation2019 from './metaschemas/draft-2019-09-meta-validation.json' with { type: 'json' }
import draft2019 from './metaschemas/draft-2019-09-schema.json' with { type: 'json' }
import applicator2020 from './metaschemas/draft-2020-12-meta-applicator.json' with { type: 'json' }
import content2020 from './metaschemas/draft-2020-12-meta-content.json' with { type: 'json' }
import core2020 from './metaschemas/draft-2020-12-meta-core.json' with { type: 'json' }
import format2020 from './metaschemas/draft-2020-12-meta-format-annotation.json' with { type: 'json' }
import metaData2020 from './metaschemas/draft-2020-12-meta-meta-data.json' with { type: 'json' }
import unevaluated2020 from './metaschemas/draft-2020-12-meta-unevaluated.json' with { type: 'json' }
import validation2020 from './metaschemas/draft-2020-12-meta-validation.json' with { type: 'json' }
import draft2020 from './metaschemas/draft-2020-12-schema.json' with { type: 'json' }

export type DraftVersion = 4 | 6 | 7 | 2019 | 2020

export interface Draft {
  readonly version: DraftVersion
  readonly url: string
  /** The keyword that names a schema. */
  readonly id: '$id' | 'id'
  /** Keywords whose value is a schema. */
  readonly single: readonly string[]
  /** Keywords whose value is a list of schemas. */
  readonly lists: readonly string[]
  /** Keywords whose value is a mapping of schemas. */
  readonly maps: readonly string[]
}

const after4 = {
  single: ['not', 'additionalProperties', 'items', 'additionalItems'],
  lists: ['allOf', 'anyOf', 'oneOf', 'items'],
  maps: ['definitions', 'properties', 'patternProperties', 'dependencies'],
}
const after6 = { ...after4, single: [...after4.single, 'propertyNames', 'contains'] }
const after7 = { ...after6, single: [...after6.single, 'if', 'then', 'else'] }
const after2019 = {
  ...after7,
  single: [...after7.single, 'unevaluatedProperties', 'unevaluatedItems', 'contentSchema'],
  maps: [...after7.maps, '$defs', 'dependentSchemas'],
}
const after2020 = { ...after2019, lists: [...after2019.lists, 'prefixItems'] }

const HOST = 'json-schema.org'
const drafts: readonly Draft[] = [
  { version: 4, url: `http://${HOST}/draft-04/schema`, id: 'id', ...after4 },
  { version: 6, url: `http://${HOST}/draft-06/schema`, id: '$id', ...after6 },
  { version: 7, url: `http://${HOST}/draft-07/schema`, id: '$id', ...after7 },
  { version: 2019, url: `https://${HOST}/draft/2019-09/schema`, id: '$id', ...after2019 },
  { version: 2020, url: `https://${HOST}/draft/2020-12/schema`, id: '$id', ...after2020 },
]
export const latestDraft: Draft = drafts.at(-1)!

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** The draft of a `$schema` URL, with http or https; undefined for other metaschemas. */
export const draftOf = (url: string): Draft | undefined => {
  const name = withoutScheme(url.replace(/#.*$/s, ''))
  return name === `${HOST}/schema` ? latestDraft : drafts.find(draft => withoutScheme(draft.url) === name)
}

/** A metaschema's URL without the empty fragment, and the metaschema. */
const named = (schema: { readonly $id?: string; readonly id?: string }): readonly [string, object] => [
  (schema.$id ?? schema.id)!.replace(/#$/, ''),
  schema,
]

/** The drafts' metaschemas by URL. */
export const metaschemas: ReadonlyMap<string, object> = new Map(
  [
    ...[draft4 as object, draft6, draft7, draft2019, draft2020],
    ...[applicator2019, content2019, core2019, format2019, metaData2019, validation2019],
    ...[applicator2020, content2020, core2020, format2020, metaData2020, unevaluated2020, validation2020],
  ].map(named),
)

/** The id of a schema, without a fragment; '' if it has none. */
export const idOf = (schema: ValueMap, draft: Draft): string => {
  if (draft.version < 2019 && schema.has('$ref')) return ''
  const id = schema.get(draft.id)
  return typeof id === 'string' ? id.split('#')[0]! : ''
}
