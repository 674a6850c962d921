/** Objects and lists as JSON text, in the form a client asked for. */

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

/** How the objects of one answer are shown. */
export interface View {
  readonly format: Representation['format']
  one(object: KubernetesObject): string
  readonly list: ListForm
  /** The object of a watch event: the same, but only the first Table says what its columns are. */
  streamed(object: KubernetesObject): Streamed
  /** The same for what is there when a watch begins. */
  initial(object: Listed<KubernetesObject>): string
}

/** A list without its objects, and how each of those is shown. */
export interface ListForm {
  readonly format: Representation['format']
  /** All fields but the objects'; without metadata when those are still to come. */
  fields(metadata?: ListMeta): Readonly<Record<string, unknown>>
  /** The field of the objects. */
  readonly member: 'items' | 'rows'
  item(object: Listed<KubernetesObject>): string
}

/** All views of one object that have the same form have the same text. */
interface Streamed {
  readonly form: string
  text(): string
}

/** The view that the request's Accept header asks for. Fails with NotAcceptable. */
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
  // The items of Kubernetes' own lists don't say again what the list says; those of user-defined kinds do.
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
    // Ages are told in seconds at the finest.
    const form = `Table ${version.name} ${includeObject} ${withHeaders} ${Math.floor(now() / 1000)}`
    return { form, text: () => one(object, withHeaders) }
  }
  return { format, one: object => one(object), list, streamed, initial: ({ object }) => streamed(object).text() }
}

/** How much of each object a Table's rows carry. Fails with BadRequest. */
const includeObjectOf = (query: URLSearchParams): NonNullable<TableOptions['includeObject']> => {
  const asked = query.get('includeObject') || 'Metadata'
  if (asked === 'Metadata' || asked === 'Object' || asked === 'None') return asked
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: ${invalid('', asked, "must be 'Metadata', 'Object', 'None', or empty").message}`,
  )
}
