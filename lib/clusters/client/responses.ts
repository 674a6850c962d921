/** Checks an API server's responses: another server at a kubeconfig's address must not be mistaken for one. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { ClusterError } from './client.ts'
import type { TransportResponse } from './transport.ts'

/** The JSON object in a response. Fails with a ClusterError if it is anything else. */
export const readFields = (response: TransportResponse): JsonObject => {
  const value = parsed(response)
  if (!isObject(value)) throw notKubernetes(response)
  return value
}

/** The Kubernetes object in a response. Fails with a ClusterError if it is anything else. */
export const readObject = (response: TransportResponse): KubernetesObject => {
  const value = readFields(response)
  if (!isKubernetesObject(value)) throw notKubernetes(response)
  return value
}

/** The object that a write returns; a review has no name. Fails with a ClusterError if it is anything else. */
export const readWritten = (response: TransportResponse): KubernetesObject => {
  const value = readFields(response)
  if (typeof value.kind !== 'string' || typeof value.apiVersion !== 'string') throw notKubernetes(response)
  return { metadata: {}, ...value } as unknown as KubernetesObject
}

export interface ListPage {
  readonly items: readonly KubernetesObject[]
  readonly resourceVersion: string
  /** The continue token of the next page; absent on the last one. */
  readonly next?: string
}

/** A page of a list. Fails with a ClusterError if it is anything else. */
export const readList = (response: TransportResponse): ListPage => {
  const { metadata, items } = readFields(response)
  if (!isObject(metadata)) throw notKubernetes(response)
  const objects = items === null ? [] : items // Go writes an empty list as null
  if (!Array.isArray(objects) || !objects.every(isKubernetesObject)) throw notKubernetes(response)
  const { resourceVersion, continue: next } = metadata
  return {
    items: objects,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    ...(typeof next === 'string' && next !== '' && { next }),
  }
}

const isKubernetesObject = (value: unknown): value is KubernetesObject =>
  isObject(value) && isObject(value.metadata) && typeof value.metadata.name === 'string'

const parsed = (response: TransportResponse): unknown => {
  try {
    return JSON.parse(response.body)
  } catch (cause) {
    throw notKubernetes(response, cause)
  }
}

/** The response is not from an API server: the error does not quote it. */
export const notKubernetes = ({ server, status, header, body }: TransportResponse, cause?: unknown): ClusterError => {
  const what = `${Buffer.byteLength(body)} bytes of ${header('content-type') ?? 'no content type'}`
  const message = `${server ?? 'the server'} does not respond like a Kubernetes API server (status ${status}, ${what}): check the server in the kubeconfig`
  return new ClusterError('server', message, { status, cause })
}
