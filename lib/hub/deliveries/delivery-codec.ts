import type { DeliveryContent } from '../../foundations/kinds/delivery.ts'
import type { DeliveryPlace } from '../../platform/ports/deliveries.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import { type RecordCodec, recordCodec } from '../records/record-codec.ts'

/** The content of deliveries is sealed, as payloads name people and repositories. */
export const deliveryCodec = (keys: Keys): RecordCodec<DeliveryPlace, DeliveryContent> =>
  recordCodec(keys, ({ receiver, name }) => `delivery/${receiver}/${name}`, dictionary)

/** A request that can be processed again under a Receiver's filters. */
export interface DeliveryPayload {
  readonly contentType?: string
  /** In base64. */
  readonly body: string
  /** What the filters get as `req`, if it is not the body. */
  readonly payload?: unknown
  /** Claims of the caller's identity token, which is not stored itself. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/**
 * The payload of a delivery is sealed on its own, since it is read only to deliver again. Each differs, so no
 * dictionary helps.
 */
export const deliveryPayloadCodec = (keys: Keys): RecordCodec<DeliveryPlace, DeliveryPayload> =>
  recordCodec(keys, ({ receiver, name }) => `delivery-payload/${receiver}/${name}`, Buffer.alloc(0))

/** With these, the delivery of a push takes a single write unit on AWS. Another dictionary would need other item names. */
const dictionary = Buffer.from(
  [
    '{"verified":false,"method":"Token","message":"the header X-Gitlab-Token does not match the receiver\'s Secret"},"result":"Refused","status":400,"message":"',
    '"method":"IdentityToken","method":"Path","method":"Authorization","result":"Ignored","result":"Duplicate","message":"duplicate: this request was already handled","result":"Ping","message":"pong","result":"Failed","status":500',
    '"redelivers":"","redeliveredBy":"kubernetes-admin","moreObjects":1,{"name":"x-gitlab-event","value":"Push Hook"},{"name":"x-gitlab-token","value":"***"},{"name":"x-gitlab-event-uuid","value":""},{"name":"x-gitlab-webhook-uuid"',
    '{"name":"x-event-key","value":"repo:push"},{"name":"x-request-uuid","value":""},{"name":"x-hook-uuid"},{"name":"x-gitea-event","value":"push"},{"name":"x-gitea-delivery","value":""},{"name":"x-gitea-signature","value":"***"}',
    '{"receiver":{"name":"github","type":"github"},"event":"push","id":"72d3162e-cc78-11e3-81ab-4c9367dc0958","sender":"',
    '","remoteAddress":"140.82.115.","headers":[',
    '{"name":"accept","value":"*/*"},{"name":"accept-encoding","value":"gzip"},{"name":"content-length","value":"7324"},{"name":"content-type","value":"application/json"},{"name":"host","value":"abcdefghijklmnopqrstuvwxyz012345.lambda-url.us-east-1.on.aws"},{"name":"user-agent","value":"GitHub-Hookshot/044aadd"},',
    '{"name":"x-amzn-tls-cipher-suite","value":"TLS_AES_128_GCM_SHA256"},{"name":"x-amzn-tls-version","value":"TLSv1.3"},{"name":"x-amzn-trace-id","value":"Root=1-"},{"name":"x-forwarded-for","value":"140.82.115."},{"name":"x-forwarded-port","value":"443"},{"name":"x-forwarded-proto","value":"https"},',
    '{"name":"x-github-delivery","value":"72d3162e-cc78-11e3-81ab-4c9367dc0958"},{"name":"x-github-event","value":"push"},{"name":"x-github-hook-id","value":"292430182"},{"name":"x-github-hook-installation-target-id","value":"79929171"},{"name":"x-github-hook-installation-target-type","value":"repository"},{"name":"x-hub-signature","value":"***"},{"name":"x-hub-signature-256","value":"***"}],',
    '"bodyBytes":7324,"verification":{"verified":true,"method":"Signature"},"result":"Triggered","status":200,"message":"ok: requested 1 to reconcile","push":{"repositories":["github.com/"],"versions":[{"name":"refs/heads/main","content":"',
    '"}]},"objects":[{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","namespace":"flux-system","name":"flux-system"},{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"OCIRepository"}],"startedAt":"2026-11-28T12:00:00.000Z","durationMs":12}',
  ].join(''),
)
