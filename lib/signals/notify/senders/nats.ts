import { NotDelivered } from '../http.ts'
import type { ProviderAccess } from '../provider-access.ts'
import { type NatsCredential, openNats } from './nats-connection.ts'
import { readNkey } from './nkey.ts'
import type { Send } from './sender.ts'

/** Publishes the event to a subject (`channel`) of a NATS server (`address`): https://docs.nats.io/reference/reference-protocols/nats-protocol */
export const nats: Send = async ({ notification, access, connections }) => {
  if (!access.address) throw new Error('NATS server (address) cannot be empty')
  if (!access.channel) throw new Error('NATS subject (channel) cannot be empty')
  if (!isSubject(access.channel))
    throw new Error('the channel of a provider of type nats must be a subject without wildcards')
  const signal = AbortSignal.timeout(access.timeoutMs)
  const failures: string[] = []
  for (const server of access.address.split(',')) {
    const url = serverOf(server.trim())
    try {
      await using connection = await openNats(url, connections, access.connection, signal)
      return await connection.publish(access.channel, JSON.stringify(notification), natsCredential(access, url))
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error
      failures.push(signal.aborted ? `no response within ${access.timeoutMs / 1000} s` : error.message)
      if (signal.aborted) break
    }
  }
  throw new NotDelivered(`error publishing event to subject ${access.channel}: ${failures.join('; ')}`)
}

/** Tokens of visible characters, separated by dots. */
const isSubject = (text: string): boolean => /^[^\s.*>]+(\.[^\s.*>]+)*$/.test(text)

const serverOf = (address: string): URL => {
  const url = URL.parse(address.includes('://') ? address : `nats://${address}`)
  if (url?.hostname && ['nats:', 'tls:'].includes(url.protocol)) return url
  throw new Error('the address of a provider of type nats must be nats://<host>:<port> or tls://<host>:<port>')
}

/** In Flux's order: credentials, nkey, user and password; finally those in the address. */
const natsCredential = ({ secret, username, password }: ProviderAccess, url: URL): NatsCredential => {
  const creds = secret.get('creds')
  if (creds) {
    const token = blockOf(creds, 'NATS USER JWT')
    const key = readNkey(blockOf(creds, 'USER NKEY SEED'))
    return nonce => ({ jwt: token, sig: key.sign(nonce) })
  }
  const seed = secret.get('nkey')
  if (seed) {
    const key = readNkey(seed)
    return nonce => ({ nkey: key.publicKey, sig: key.sign(nonce) })
  }
  if (username && password) return () => ({ user: username, pass: password })
  const [user, pass] = [url.username, url.password].map(decodeURIComponent)
  if (!user) return () => ({})
  return pass ? () => ({ user, pass }) : () => ({ auth_token: user })
}

const blockOf = (creds: string, name: string): string => {
  const [, text] = new RegExp(`-----BEGIN ${name}-----\\s+(\\S+)\\s+------?END ${name}-----`).exec(creds) ?? []
  if (text) return text
  throw new Error(`the creds in the Secret have no '${name}'`)
}
