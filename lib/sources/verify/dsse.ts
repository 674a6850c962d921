import { inToto } from '../../foundations/rules/dsse.ts'

/** A signed envelope (DSSE) in a Sigstore bundle. */
export interface Envelope {
  readonly payload: Buffer
  readonly payloadType: string
  readonly signatures: readonly Buffer[]
}

const MAX_SIGNATURES = 10

/** The envelope in a bundle; undefined if it has none, or if the content is not an in-toto statement. */
export const envelopeIn = (bundle: Uint8Array): Envelope | undefined => {
  const { dsseEnvelope } = parse(bundle)
  if (typeof dsseEnvelope !== 'object' || dsseEnvelope === null) return undefined
  const { payload, payloadType, signatures } = dsseEnvelope as Record<string, unknown>
  if (typeof payload !== 'string' || payloadType !== inToto || !Array.isArray(signatures)) return undefined
  return {
    payload: Buffer.from(payload, 'base64'),
    payloadType,
    signatures: signatures
      .slice(0, MAX_SIGNATURES)
      .map(one => Buffer.from(typeof one?.sig === 'string' ? one.sig : '', 'base64')),
  }
}

const parse = (bundle: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bundle).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
