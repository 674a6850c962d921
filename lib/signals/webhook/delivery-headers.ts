import { maskValues } from '../../clusters/client/mask-secret.ts'
import type { Delivery } from '../../foundations/kinds/delivery.ts'

/** Headers whose values are no secrets: those of HTTP and proxies, and the descriptions that forges and registries give of an event. */
const plain: readonly RegExp[] = [
  /^(accept|accept-encoding|accept-language|cache-control|connection|content-encoding|content-length|content-type|date|host|user-agent|via)$/,
  /^x-(forwarded-(for|host|port|proto)|real-ip|amzn-trace-id|amzn-tls-(version|cipher-suite))$/,
  /^x-(github|gitea|gogs|forgejo)-(event|event-type|delivery|hook-id|hook-installation-target-(id|type))$/,
  /^x-github-enterprise-(host|version)$/,
  /^x-gitlab-(event|event-uuid|webhook-uuid|instance)$/,
  /^x-(event-key|event-time|request-uuid|request-id|hook-uuid|attempt-number)$/,
  /^x-nexus-webhook-(id|delivery)$/,
  /^webhook-(id|timestamp)$/,
  /^ce-(id|type|source|specversion|time|subject)$/,
]

const hidden = '***'

/** The limits of what is recorded of a request's headers. */
const bounds = { headers: 40, name: 100, value: 200 }

/** The headers of a request with every value hidden that may be a secret; `masked` hides the Receiver's own secrets. */
export const recordedHeaders = (headers: Headers, masked: (text: string) => string): Delivery['headers'] =>
  [...headers].slice(0, bounds.headers).map(([name, value]) => ({
    name: masked(name.slice(0, bounds.name)),
    value: plain.some(pattern => pattern.test(name)) ? masked(value).slice(0, bounds.value) : hidden,
  }))

/** Hides the values of a Receiver's Secret wherever they stand in a text, plain and in base64. */
export const maskingSecrets = (secret: ReadonlyMap<string, string>): ((text: string) => string) => {
  const values = [...secret.values()]
    .flatMap(value => [value, Buffer.from(value).toString('base64').replace(/=+$/, '')])
    .filter(value => value !== '')
    .sort((a, b) => b.length - a.length)
  return text => maskValues(values, text)
}
