/** Objects and lists as JSON text, in the form a client asked for. */
import { badRequest } from '../hub/api-errors.ts'
import { inVersion } from '../hub/served-kind.ts'
import { apiVersionOf } from '../kinds/all.ts'
import { invalid } from '../kinds/field-error.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { TableOptions } from '../kinds/table.ts'
import { partialObjectMetadata, tableOf } from '../kinds/table.ts'
import type { Api, Call } from './call.ts'
import { jsonText } from './json-text.ts'
import type { Representation } from './media-type.ts'
import { negotiated } from './media-type.ts'

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

/** The view that the request's Accept header asks for. Fails with NotAcceptable. */
export const viewOf = ({ clock }: Api, call: Call): View => {
  const { format, view } = negotiated(call.request.headers.get('accept'), ['Object', 'Table', 'PartialObjectMetadata'])
  if (view === 'Table') return tableView(call, format, clock.now)
  return view === 'PartialObjectMetadata' ? metadataView(format) : objectView(call, format)
}

const objectView = ({ served: { kind, version } }: Call, format: View['format']): View => {
  const apiVersion = apiVersionOf(kind, version)
  const one = (object: KubernetesObject) => jsonText(inVersion(object, kind, version.name))
  // The items of Kubernetes' own lists don't say again what the list says; those of user-defined kinds do.
  const identity = `{"apiVersion":"${apiVersion}","kind":"${kind.kind}",`
  const item = (object: KubernetesObject) => {
    const text = one(object)
    return kind.native && text.startsWith(identity) ? `{${text.slice(identity.length)}` : text
  }
  const list: View['list'] = (objects, metadata) =>
    listText(
      kind.listKind ?? `${kind.kind}List`,
      apiVersion,
      kind.native ? metadata : { continue: '', ...metadata },
      objects.map(item),
    )
  return { format, one, list, streamed: one }
}

const metadataView = (format: View['format']): View => {
  const one = (object: KubernetesObject) => JSON.stringify(partialObjectMetadata(object))
  const list: View['list'] = (objects, metadata) =>
    listText('PartialObjectMetadataList', 'meta.k8s.io/v1', metadata, objects.map(one))
  return { format, one, list, streamed: one }
}

/** Written piece by piece, because the objects' texts are there already. */
const listText = (kind: string, apiVersion: string, metadata: ListMeta, items: readonly string[]): string =>
  `${JSON.stringify({ kind, apiVersion, metadata }).slice(0, -1)},"items":[${items.join(',')}]}`

const tableView = ({ served: { kind, version }, query }: Call, format: View['format'], now: () => number): View => {
  const includeObject = includeObjectOf(query)
  const table = (objects: readonly KubernetesObject[], metadata: object, headers: boolean) => {
    const shown = includeObject === 'Object' ? objects.map(object => inVersion(object, kind, version.name)) : objects
    return JSON.stringify(tableOf(version, shown, { now: now(), includeObject, metadata: { ...metadata }, headers }))
  }
  const versionOf = ({ metadata: { resourceVersion = '' } }: KubernetesObject) => ({ resourceVersion })
  let headers = true
  return {
    format,
    one: object => table([object], versionOf(object), true),
    list: (objects, metadata) => table(objects, metadata, true),
    streamed: object => {
      const text = table([object], versionOf(object), headers)
      headers = false
      return text
    },
  }
}

/** How much of each object a Table's rows carry. Fails with BadRequest. */
const includeObjectOf = (query: URLSearchParams): NonNullable<TableOptions['includeObject']> => {
  const asked = query.get('includeObject') || 'Metadata'
  if (asked === 'Metadata' || asked === 'Object' || asked === 'None') return asked
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: ${invalid('', asked, "must be 'Metadata', 'Object', 'None', or empty").message}`,
  )
}
