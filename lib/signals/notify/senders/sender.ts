import type { Alert } from '../../../foundations/kinds/alert.ts'
import type { Connections } from '../../../platform/http/connections.ts'
import type { Http } from '../http.ts'
import type { Notification } from '../notification.ts'
import type { ProviderAccess } from '../provider-access.ts'

/** The input of a sender. */
export interface SendContext {
  readonly notification: Notification
  readonly access: ProviderAccess
  readonly alert: Alert
  /** Name of the commit status, for types that set one. */
  readonly commitStatus: string
  readonly http: Http
  /** For protocols other than HTTP. */
  readonly connections: Pick<Connections, 'socket'>
}

/** Sends a notification to one Provider. Fails with NotDelivered, or an Error that describes an invalid Provider. */
export type Send = (context: SendContext) => Promise<unknown>

/**
 * The URL of a Provider. Throws an Error if it has none, or an invalid one; the message doesn't quote it, as it may
 * hold a secret.
 */
export const requireAddress = ({ address, type }: ProviderAccess): string => {
  if (URL.canParse(address)) return address
  throw new Error(
    address
      ? `the address of a provider of type ${type} must be a URL`
      : `a provider of type ${type} requires an address`,
  )
}

/** The header of a bearer token; none without a token. */
export const bearer = (token: string): Readonly<Record<string, string>> =>
  token ? { authorization: `Bearer ${token}` } : {}

/** The header of basic authentication. */
export const basic = (username: string, password: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})
