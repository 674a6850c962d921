/** Objects and lists as JSON text, in the form a client asked for. */

import { inVersion } from '../hub/served-kind.ts'
import { apiVersionOf } from '../kinds/all.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Api, Call } from './call.ts'
import { jsonText } from './json-text.ts'
import type { Representation } from './media-type.ts'
import { negotiated } from './media-type.ts'
import { includeObjectOf, tableText } from './table.ts'

/** metav1.ListMeta. */
export interface ListMeta {
  readonly resourceVersion: string
  readonly continue?: string
}

/** How the objects of one answer are shown. */
export interface View {
  readonly format: Representation['format']
  one(object: KubernetesObject): string
  list(objects: readonly KubernetesObject[], metadata: ListMeta): string
  /** The object of a watch event: the same, but only the first Table says what its columns are. */
  streamed(object: KubernetesObject): string
}

const meta = 'meta.k8s.io/v1'

/** The view that the request's Accept header asks for. Fails with NotAcceptable. */
export const viewOf = ({ clock }: Api, call: Call): View => {
  const { format, view } = negotiated(call.request.headers.get('accept'), ['Object', 'PartialObjectMetadata'])
  if (view === 'Table') return tableView(call, format, clock.now)
  return view === 'PartialObjectMetadata' ? metadataView(format) : objectView(call, format)
}

const objectView = ({ served: { kind, version } }: Call, format: View['format']): View => {
  const one = (object: KubernetesObject) => jsonText(inVersion(object, kind, version.name))
  const list: View['list'] = (objects, metadata) =>
    listText(`${kind.kind}List`, apiVersionOf(kind, version), metadata, objects.map(one))
  return { format, one, list, streamed: one }
}

const metadataView = (format: View['format']): View => {
  const one = (object: KubernetesObject) => JSON.stringify(metadataOnly(object))
  const list: View['list'] = (objects, metadata) =>
    listText('PartialObjectMetadataList', meta, metadata, objects.map(one))
  return { format, one, list, streamed: one }
}

export const metadataOnly = ({ metadata }: KubernetesObject): KubernetesObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: meta,
  metadata,
})

const tableView = ({ served, query }: Call, format: View['format'], now: () => number): View => {
  const include = includeObjectOf(query)
  const list: View['list'] = (objects, metadata) => tableText(served, objects, { metadata, include, now: now() })
  let withColumns = true
  return {
    format,
    one: object => list([object], { resourceVersion: object.metadata.resourceVersion ?? '' }),
    list,
    streamed: object => {
      const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' }
      const text = tableText(served, [object], { metadata, include, now: now(), withColumns })
      withColumns = false
      return text
    },
  }
}

/** Written piece by piece, because the objects' texts are there already. */
const listText = (kind: string, apiVersion: string, metadata: ListMeta, items: readonly string[]): string =>
  `${JSON.stringify({ kind, apiVersion, metadata }).slice(0, -1)},"items":[${items.join(',')}]}`
