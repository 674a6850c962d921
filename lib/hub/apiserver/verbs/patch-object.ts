import { groupOf, versionOf } from '../../../foundations/kinds/object.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { Patch } from '../../store/hub.ts'
import type { Call, Handler } from '../call.ts'
import { refOfCall } from '../call.ts'
import { unsupportedMediaType } from '../refusals.ts'
import { viewOf } from '../views.ts'
import { bodyBytes, contentTypeOf, parsed, parsedObject } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'
import { requestObject } from './request-object.ts'
import { writeOptionsOf } from './write-options.ts'

const json = 'application/json-patch+json'
const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'
const apply = 'application/apply-patch+yaml'

/**
 * PATCH of an object, in the type of the body: JSON patch, merge patch, server-side apply, and strategic merge patch of
 * Kubernetes' own kinds. Server-side apply creates a missing object (201).
 */
export const patchObject: Handler = async (api, call) => {
  const view = viewOf(api, call)
  const type = contentTypeOf(call.request)
  const accepted = call.served.kind.native ? [json, merge, strategic, apply] : [json, merge, apply]
  if (!accepted.includes(type)) throw unsupportedMediaType(accepted)
  const options = writeOptionsOf(api, call, 'PatchOptions', type === apply)
  const patch = patchOf(call, type, (await bodyBytes(call.request)).toString('utf8'))
  let status = 200
  const object = await api.hub.patch(refOfCall(call), patch, {
    ...options,
    version: call.served.version.name,
    force: call.query.get('force') === 'true',
    onCreated: () => {
      status = 201
    },
  })
  return respond(call, view.one(object), view.format, status)
}

const patchOf = (call: Call, type: string, text: string): Patch => {
  if (type === apply) {
    const body = parsedObject(text, 'yaml', why => `error decoding YAML: ${why}`)
    const [apiVersion, kind] = [textOf(body.apiVersion), textOf(body.kind)]
    if (!apiVersion || !kind)
      throw badRequest(`invalid object type: ${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`)
    return { type: 'apply', object: requestObject(call, body) }
  }
  if (type === json) {
    const operations = parsed(text, 'json', notDecoded)
    if (!Array.isArray(operations)) throw badRequest(notDecoded('it must be a list of operations'))
    return { type: 'json', operations }
  }
  return { type: type === merge ? 'merge' : 'strategic', patch: parsedObject(text, 'json', notDecoded) }
}

const notDecoded = (why: string) => `error decoding patch: ${why}`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
