import { apiVersionOf } from '../../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { describeTypeMismatch } from '../../../foundations/kinds/schema/go-types.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { Call } from '../call.ts'

/**
 * A body as the object that the path refers to: apiVersion and kind may be absent, but must match; name and namespace come from the path.
 * Fails with BadRequest if body and path disagree.
 */
export const requestObject = (call: Call, body: Readonly<Record<string, unknown>>): KubernetesObject => {
  const { kind, version } = call.served
  const expected = apiVersionOf(kind, version)
  // Kubernetes' own kinds are identified by the path; others require a kind in the body.
  if (!kind.native && !body.kind)
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): Object 'Kind' is missing`)
  const [apiVersion, name] = [body.apiVersion || (kind.native ? expected : ''), body.kind || kind.kind]
  const metadata = body.metadata ?? {}
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  if (name !== kind.kind)
    throw badRequest(`the kind in the data (${name}) does not match the expected kind (${kind.kind})`)
  const problem = describeTypeMismatch(identity, { metadata }, kind.kind)
  if (problem)
    throw badRequest(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${problem}`)
  return {
    ...body,
    apiVersion: expected,
    kind: kind.kind,
    metadata: placed(call, metadata as Partial<KubernetesObject['metadata']>),
  }
}

const text = { type: 'string' } as const
const identity = {
  type: 'object',
  properties: { metadata: { type: 'object', properties: { name: text, namespace: text } } },
} as const

const placed = ({ info }: Call, metadata: Partial<KubernetesObject['metadata']>): KubernetesObject['metadata'] => {
  const { namespace, name, ...rest } = metadata
  if (namespace && info.namespace && namespace !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  if (info.verb === 'update' && !name)
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`)
  if (info.name && name && name !== info.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
  return { ...rest, name: info.name || name || '', ...(info.namespace && { namespace: info.namespace }) }
}
