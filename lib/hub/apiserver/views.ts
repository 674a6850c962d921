/** Objects and lists as JSON text, in the representation that a client requested. */

import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { invalid } from '../../foundations/kinds/schema/field-error.ts'
import type { TableOptions } from '../../foundations/kinds/table.ts'
import { partialObjectMetadata, rowOf, tableHead } from '../../foundations/kinds/table.ts'
import { badRequest } from '../store/api-errors.ts'
import type { Listed } from '../store/hub.ts'
import { shownIn } from '../store/served-kind.ts'
import type { Api, Call } from './call.ts'
import { withCluster } from './cluster-column.ts'
import type { Representation } from './wire/media-type.ts'
import { negotiated } from './wire/media-type.ts'

/** metav1.ListMeta. */
export interface ListMeta {
  readonly resourceVersion: string
  readonly continue?: string
}

/** How to represent the objects of one response. */
export interface View {
  readonly format: Representation['format']
  one(object: KubernetesObject): string
  readonly list: ListForm
  /** The object of a watch event: the same, but only the first Table has column definitions. */
  streamed(object: KubernetesObject): Streamed
  /** The same for objects that exist when a watch begins. */
  initial(object: Listed<KubernetesObject>): string
}

/** A list without its objects, and how to represent each of those. */
export interface ListForm {
  readonly format: Representation['format']
  /** All fields except the objects'; without metadata if that is not known yet. */
  fields(metadata?: ListMeta): Readonly<Record<string, unknown>>
  /** The name of the field with the objects. */
  readonly member: 'items' | 'rows'
  item(object: Listed<KubernetesObject>): string
}

/** All views of one object with the same form have the same text. */
interface Streamed {
  readonly form: string
  text(): string
}

/** The view for the request's Accept header. Fails with NotAcceptable. */
export const viewOf = ({ clock }: Api, call: Call): View => {
  const { format, view } = negotiated(call.request.headers.get('accept'), ['Object', 'Table', 'PartialObjectMetadata'])
  if (view === 'Table') return tableView(call, format, clock.now)
  return view === 'PartialObjectMetadata' ? metadataView(format) : objectView(call, format)
}

const objectView = ({ served: { kind, version } }: Call, format: View['format']): View => {
  const apiVersion = apiVersionOf(kind, version)
  const identity = `{"apiVersion":"${apiVersion}","kind":"${kind.kind}",`
  const one = (object: KubernetesObject) => JSON.stringify(shownIn(object, { kind, version }))
  const whole = (item: Listed<KubernetesObject>) => {
    const text = item.json
    return text.startsWith(identity) ? text : one(item.object)
  }
  // Items of Kubernetes' own lists omit kind and apiVersion, those of user-defined kinds include them.
  const withoutIdentity = (item: Listed<KubernetesObject>) => {
    const text = whole(item)
    return text.startsWith(identity) ? `{${text.slice(identity.length)}` : text
  }
  const list: ListForm = {
    format,
    fields: metadata => ({
      kind: kind.listKind ?? `${kind.kind}List`,
      apiVersion,
      ...(metadata && { metadata: kind.native ? metadata : { continue: '', ...metadata } }),
    }),
    member: 'items',
    item: kind.native ? withoutIdentity : whole,
  }
  const form = `Object ${version.name}`
  return { format, one, list, streamed: object => ({ form, text: () => one(object) }), initial: whole }
}

const metadataView = (format: View['format']): View => {
  const one = (object: KubernetesObject) => JSON.stringify(partialObjectMetadata(object))
  const item = ({ object }: Listed<KubernetesObject>) => one(object)
  const list: ListForm = {
    format,
    fields: metadata => ({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      ...(metadata && { metadata }),
    }),
    member: 'items',
    item,
  }
  const form = 'PartialObjectMetadata'
  return { format, one, list, streamed: object => ({ form, text: () => one(object) }), initial: item }
}

const tableView = ({ served: { kind, version }, query }: Call, format: View['format'], now: () => number): View => {
  const includeObject = includeObjectOf(query)
  const columns = withCluster(kind, version)
  const row = (object: KubernetesObject) =>
    rowOf(columns, { now: now(), includeObject })(
      includeObject === 'Object' ? shownIn(object, { kind, version }) : object,
    )
  const one = (object: KubernetesObject, headers = true) => {
    const { resourceVersion = '' } = object.metadata
    return JSON.stringify({ ...tableHead(columns, { metadata: { resourceVersion }, headers }), rows: [row(object)] })
  }
  const list: ListForm = {
    format,
    fields: metadata => {
      const { kind, apiVersion, columnDefinitions } = tableHead(columns, {})
      return { kind, apiVersion, ...(metadata && { metadata }), columnDefinitions }
    },
    member: 'rows',
    item: ({ object }) => JSON.stringify(row(object)),
  }
  let headers = true
  const streamed = (object: KubernetesObject): Streamed => {
    const withHeaders = headers
    headers = false
    // Ages have a precision of seconds at most.
    const form = `Table ${version.name} ${includeObject} ${withHeaders} ${Math.floor(now() / 1000)}`
    return { form, text: () => one(object, withHeaders) }
  }
  return { format, one: object => one(object), list, streamed, initial: ({ object }) => streamed(object).text() }
}

/** How much of each object to include in a Table's rows. Fails with BadRequest. */
const includeObjectOf = (query: URLSearchParams): NonNullable<TableOptions['includeObject']> => {
  const requested = query.get('includeObject') || 'Metadata'
  if (requested === 'Metadata' || requested === 'Object' || requested === 'None') return requested
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: ${invalid('', requested, "must be 'Metadata', 'Object', 'None', or empty").message}`,
  )
}
