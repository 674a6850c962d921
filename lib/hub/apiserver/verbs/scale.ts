/** The `scale` subresource of user-defined kinds: the desired and actual number of replicas (autoscaling/v1 Scale). */

import { jsonPatch } from '../../../engines/merge/json-patch.ts'
import { mergePatch } from '../../../engines/merge/merge-patch.ts'
import { valueAt } from '../../../foundations/kinds/check-scale.ts'
import type { ScalePaths } from '../../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { invalid as invalidField } from '../../../foundations/kinds/schema/field-error.ts'
import { badRequest, invalid, modified, noSuchResource, notFound } from '../../store/api-errors.ts'
import type { Api, Call, Handler } from '../call.ts'
import { refOfCall } from '../call.ts'
import { unsupportedMediaType } from '../refusals.ts'
import { bodyBytes, bodyObject, contentTypeOf, parsed } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'
import { writeOptionsOf } from './write-options.ts'

interface Scale extends KubernetesObject {
  readonly spec: { readonly replicas?: number }
}

/** GET: the Scale of an object; ApiError (404) for kinds without this subresource. */
export const getScale: Handler = async (api, call) =>
  respond(call, JSON.stringify(scaleOf(call, await found(api, call))))

/** PUT: sets the number of replicas that the Scale in the body has. */
export const updateScale: Handler = async (api, call) =>
  write(api, call, await found(api, call), await bodyObject(call.request, 'Scale'))

const patchers: Readonly<Record<string, (scale: Scale, patch: unknown) => unknown>> = {
  'application/json-patch+json': (scale, patch) => jsonPatch(scale, patch as readonly unknown[]),
  'application/merge-patch+json': (scale, patch) => mergePatch(scale, patch),
}

/** PATCH of the Scale, by JSON patch or merge patch; the object gets the resulting number of replicas. */
export const patchScale: Handler = async (api, call) => {
  const type = contentTypeOf(call.request)
  const patch = Object.hasOwn(patchers, type) && patchers[type]
  if (!patch) throw unsupportedMediaType(Object.keys(patchers))
  const object = await found(api, call)
  const text = (await bodyBytes(call.request)).toString('utf8')
  return write(
    api,
    call,
    object,
    patch(
      scaleOf(call, object),
      parsed(text, 'json', why => `error decoding patch: ${why}`),
    ),
  )
}

const pathsOf = ({ served }: Call): ScalePaths => {
  const { scale } = served.version
  if (!scale) throw noSuchResource()
  return scale
}

const found = async (api: Api, call: Call): Promise<KubernetesObject> => {
  const object = await api.hub.get(refOfCall(call))
  if (!object) throw notFound(call.served.kind, call.info.name)
  return object
}

const write = async (api: Api, call: Call, object: KubernetesObject, wanted: unknown): Promise<Response> => {
  const { spec, metadata } = (wanted ?? {}) as Partial<Scale>
  const replicas = spec?.replicas ?? 0
  if (!Number.isInteger(replicas))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas must be a whole number')
  const { kind } = call.served
  if (replicas < 0)
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [
      invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  const { resourceVersion } = object.metadata
  if (metadata?.resourceVersion && metadata.resourceVersion !== resourceVersion)
    throw modified(kind, object.metadata.name)
  const { subresource: _, ...options } = writeOptionsOf(api, call, 'UpdateOptions')
  const patch = placed(pathsOf(call).specReplicasPath, replicas)
  const written = await api.hub.patch(
    refOfCall(call),
    { type: 'merge', patch: { ...patch, metadata: { resourceVersion } } },
    options,
  )
  return respond(call, JSON.stringify(scaleOf(call, written)))
}

const scaleOf = (call: Call, object: KubernetesObject): Scale => {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(call)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = labelSelectorPath && valueAt(labelSelectorPath, object)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: numbered(valueAt(specReplicasPath, object)),
    status: { replicas: 0, ...numbered(valueAt(statusReplicasPath, object)), ...(selector ? { selector } : {}) },
  } as Scale
}

const numbered = (value: unknown): { readonly replicas?: number } =>
  typeof value === 'number' && value !== 0 ? { replicas: value } : {}

const stepsOf = (path: string): readonly string[] => path.slice(1).split('.')

/** An object with only a value at a path. */
const placed = (path: string, value: unknown): Readonly<Record<string, unknown>> =>
  stepsOf(path).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Readonly<Record<string, unknown>>
