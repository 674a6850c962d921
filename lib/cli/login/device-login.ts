import * as oidc from 'openid-client'
import { CommandFailed } from '../command-failed.ts'
import type { Terminal } from '../terminal.ts'
import { type IssuerClient, inOneLine, tokensOf } from './issuer-client.ts'
import type { Tokens } from './tokens.ts'

export interface DeviceLogin {
  readonly issuer: string
  readonly signal: AbortSignal
}

/** Logs in with a browser on any machine, with a code that the user enters there (RFC 8628). Fails with a CommandFailed. */
export const deviceLogin = async (
  { configuration, scope }: IssuerClient,
  { issuer, signal }: DeviceLogin,
  terminal: Terminal,
): Promise<Tokens> => {
  if (!configuration.serverMetadata().device_authorization_endpoint)
    throw new CommandFailed(`${issuer} does not support logins by code: log in without --device`)
  return inOneLine(issuer, async () => {
    const authorization = await oidc.initiateDeviceAuthorization(configuration, { scope })
    const { verification_uri: address, verification_uri_complete: complete, user_code: code } = authorization
    terminal.action(`open ${address} and enter the code ${code}${complete ? `, or open ${complete}` : ''}`)
    const tokens = await oidc.pollDeviceAuthorizationGrant(configuration, authorization, undefined, { signal })
    return tokensOf(issuer, tokens)
  })
}
