/** Fields of spec and status that several kinds of sources share. */
import { artifact } from './artifact.ts'
import { durationMs } from './duration.ts'
import { reconciledStatus } from './flux.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, oneOf, optional, text, withDescription } from './schema/schema.ts'

/** What all source kinds have in common in the API, to spread into the kind. */
export const sourceKindFields = {
  group: 'source.toolkit.fluxcd.io',
  categories: ['all', 'fluxcd', 'fluxcd-sources'],
  namespaced: true,
  hasGeneration: true,
} as const

/** Timeout for requests to a source's server; unlike other durations without hours. */
export const operationTimeout = (description: string, constraints: { readonly default?: string } = {}) =>
  text(description, { ...constraints, pattern: String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m))+$` })

/** Where credentials come from: Secrets, or the cloud that the hub runs in. */
export const cloudProvider = (clouds: readonly ['aws', 'azure', 'gcp'] | readonly ['aws', 'gcp', 'azure']) =>
  oneOf('Provider of credentials: Secrets (`generic`), or a cloud.', ['generic', ...clouds], {
    default: 'generic',
  })

const oidcIdentity = object('An accepted signer.', {
  issuer: text('Regular expression for the OIDC issuer in the certificate.'),
  subject: text('Regular expression for the identity in the certificate.'),
})

export type OidcIdentity = TypeOf<typeof oidcIdentity>

export const signatureProvider = oneOf('Format of the signatures.', ['cosign', 'notation'], {
  default: 'cosign',
})

export const oidcIdentities = list(
  'Accepted signers, of which one must have signed. For cosign without keys.',
  oidcIdentity,
)

/** Status fields of every kind with an artifact, to spread into a status schema. */
export const sourceStatus = {
  ...reconciledStatus,
  artifact: optional(withDescription('The latest artifact.', artifact)),
  url: optional(text('URL of the latest artifact.')),
}

type WithTimeout = KubernetesObject & { readonly spec: { readonly timeout?: string } }

/** Timeout for all requests of one pass, in milliseconds. */
export const timeoutOf = ({ spec }: WithTimeout): number => durationMs(spec.timeout ?? '60s')
