import { X509Certificate } from 'node:crypto'
import { isObject } from '../../foundations/kinds/json-object.ts'
import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'

/**
 * Normalizes an object to the form that an API server stores: drops fields that only the server may set, drops what sops stores
 * beside an object that stays encrypted (KS-253), turns a Secret's `stringData` into `data` (otherwise its removal would go unnoticed), and
 * gives ports a protocol (part of the key by which ports are merged). Malformed fields stay, for the API server to refuse.
 */
export const normalize = (object: KubernetesObject): KubernetesObject => {
  const { status, metadata, ...rest } = object
  const { creationTimestamp, ...meta } = metadata
  const bare = withoutSops({ ...rest, metadata: meta } as KubernetesObject)
  return kindForms.get(`${object.apiVersion}/${object.kind}`)?.(bare) ?? bare
}

/** An API server refuses unknown fields in its built-in kinds, and Flux drops them. */
const withoutSops = (object: KubernetesObject): KubernetesObject => {
  if (!isObject(object.sops) || !isKubernetesOwn(groupOf(object.apiVersion))) return object
  const { sops, ...rest } = object
  return rest as KubernetesObject
}

const isKubernetesOwn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io')

const normalizeSecret = (secret: KubernetesObject): KubernetesObject => {
  const { stringData = {}, data = {}, ...rest } = secret
  const texts = (fields: unknown): fields is Readonly<Record<string, string>> =>
    isObject(fields) && Object.values(fields).every(value => typeof value === 'string')
  if (!texts(stringData) || !texts(data)) return secret
  const merged = { ...mapValues(data, unfold), ...mapValues(stringData, encode) }
  return Object.keys(merged).length === 0 ? rest : { ...rest, data: merged }
}

const unfold = (base64: string): string => base64.replace(/[\r\n]/g, '')
const encode = (text: string): string => Buffer.from(text).toString('base64')

const mapValues = (fields: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)]))

const withProtocol = (port: unknown): unknown =>
  isObject(port) && !port.protocol ? { ...port, protocol: 'TCP' } : port

/**
 * Manifests often carry a placeholder (`Cg==`) for the authority that is injected later. API servers since Kubernetes 1.31
 * refuse it, and if they did not, applying it would undo the injection.
 */
const withoutInvalidAuthority = (definition: KubernetesObject): KubernetesObject =>
  changeAt(definition, ['spec', 'conversion', 'webhook', 'clientConfig'], config => {
    if (!isObject(config) || typeof config.caBundle !== 'string' || isAuthority(config.caBundle)) return config
    const { caBundle, ...rest } = config
    return rest
  }) as KubernetesObject

/** Whether base64 text contains only PEM certificates, at least one. */
const isAuthority = (base64: string): boolean => {
  const pem = Buffer.from(base64, 'base64').toString()
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return certificates.length > 0 && certificates.every(isCertificate)
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Changes the value at a path, if there is one; `*` means every item of a list. */
const changeAt = (value: unknown, [step, ...path]: readonly string[], change: (value: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (step === '*') return Array.isArray(value) ? value.map(item => changeAt(item, path, change)) : value
  if (!isObject(value) || !Object.hasOwn(value, step)) return value
  return { ...value, [step]: changeAt(value[step], path, change) }
}

const portsAt = (path: string) => (object: KubernetesObject) =>
  changeAt(object, path.split('.'), withProtocol) as KubernetesObject

const inTemplate = portsAt('spec.template.spec.containers.*.ports.*')

const kindForms = new Map<string, (object: KubernetesObject) => KubernetesObject>([
  ['v1/Secret', normalizeSecret],
  ['apiextensions.k8s.io/v1/CustomResourceDefinition', withoutInvalidAuthority],
  ['v1/Service', portsAt('spec.ports.*')],
  ['v1/Pod', portsAt('spec.containers.*.ports.*')],
  ['apps/v1/Deployment', inTemplate],
  ['apps/v1/StatefulSet', inTemplate],
  ['apps/v1/DaemonSet', inTemplate],
  ['apps/v1/ReplicaSet', inTemplate],
  ['batch/v1/Job', inTemplate],
  ['batch/v1/CronJob', portsAt('spec.jobTemplate.spec.template.spec.containers.*.ports.*')],
])
