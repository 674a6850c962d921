import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import * as oidc from 'openid-client'
import { listen } from '../../hub/apiserver/wire/listen.ts'
import { CommandFailed } from '../command-failed.ts'
import type { Terminal } from '../terminal.ts'
import { type IssuerClient, inOneLine, tokensOf } from './issuer-client.ts'
import type { Tokens } from './tokens.ts'

export interface BrowserLogin {
  readonly issuer: string
  /** Port of 127.0.0.1 that the browser is redirected to; 0 selects a free one. */
  readonly listenPort: number
  /** Whether to open the browser; otherwise the user opens it. */
  readonly open: boolean
  readonly signal: AbortSignal
}

/** Logs in with a browser on this machine: authorization code flow with PKCE, back to a loopback address (RFC 8252). Fails with a CommandFailed. */
export const browserLogin = async (
  { configuration, scope }: IssuerClient,
  { issuer, listenPort, open, signal }: BrowserLogin,
  terminal: Terminal,
): Promise<Tokens> => {
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const nonce = oidc.randomNonce()
  const callback = await listenForCallback(listenPort, state)
  const abort = () => callback.redirected.reject(new CommandFailed('timed out waiting for the login'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    const url = oidc.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: callback.address, scope, state, nonce, code_challenge_method: 'S256' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    })
    terminal.action(open ? `log in with your browser, at ${url}` : `open this address to log in: ${url}`)
    if (open) openBrowser(url.href)
    const redirect = await callback.redirected.promise
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
    const tokens = await inOneLine(issuer, async () =>
      tokensOf(issuer, await oidc.authorizationCodeGrant(configuration, redirect, checks)),
    )
    await callback.respond('You are logged in, and can close this window.')
    return tokens
  } catch (error) {
    await callback.respond('The login failed. The terminal shows the reason.', 400)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    await callback.close()
  }
}

const path = '/callback'
/** How long the browser may take to load the last page. */
const lastPageMs = 2_000

/** Waits on a port of 127.0.0.1 for the redirect of the login with this state. */
const listenForCallback = async (port: number, state: string) => {
  const redirected = Promise.withResolvers<URL>()
  const outcome = Promise.withResolvers<Response>()
  let shown: Promise<unknown> | undefined
  const handle = async (request: Request, _: unknown, sent?: Promise<unknown>): Promise<Response> => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || url.pathname !== path) return page('Not found.', 404)
    // Other requests must not end the login.
    if (url.searchParams.get('state') !== state || shown)
      return page('This login is unknown, or already finished.', 400)
    shown = sent
    redirected.resolve(url)
    return outcome.promise
  }
  const listener = await listen({ handle, port }).catch(error => {
    const why = `port ${port} of 127.0.0.1 can't be used: ${error.message}. Choose another with --listen-port`
    throw new CommandFailed(why, { cause: error })
  })
  return {
    address: `${listener.url}${path}`,
    redirected,
    respond: async (text: string, status = 200): Promise<void> => {
      outcome.resolve(page(text, status))
      await Promise.race([shown, sleep(lastPageMs, undefined, { ref: false })])
    },
    close: listener.close,
  }
}

const page = (text: string, status = 200): Response =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' } })

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Does not fail on a machine without a browser: the address is printed. */
export const openBrowser = (url: string): void => {
  const [command = '', ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
