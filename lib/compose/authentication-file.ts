import { readFile } from 'node:fs/promises'
import type { Authenticate } from '../hub/apiserver/authentication/caller.ts'
import { ConfigurationError } from '../hub/apiserver/configuration/read-configuration.ts'
import {
  type Authenticators,
  authenticateWith,
  type JwtPorts,
  loginIssuersOf,
  openAuthenticators,
} from './jwt-authentication.ts'
import type { LoginIssuer } from './person-logins.ts'

/** The file of `--authentication-config`. */
export interface AuthenticationFile {
  readonly authenticate: Authenticate
  /** The issuers at the moment, for logins. */
  loginIssuers(): readonly LoginIssuer[]
  close(): Promise<void>
}

const checkMs = 5_000

/**
 * Authenticates callers with the issuers in a file, and reloads the file when it changes. While the new content is invalid, or one of its issuers
 * is unavailable, the previous content remains in force. Fails with a ConfigurationError, or the system's error, if the file can't be used at
 * the start; an issuer that is unavailable then only locks out its own users.
 */
export const authenticationFile = async (
  path: string,
  ports: JwtPorts,
  disallowedIssuers: readonly string[],
): Promise<AuthenticationFile> => {
  const { log } = ports
  const open = (source: string): Authenticators => openAuthenticators(source, ports, disallowedIssuers)
  let source = await readFile(path, 'utf8')
  let current = open(source)
  let isClosed = false
  /** The last failure in the log: it is not repeated. */
  let logged = ''

  const check = async (): Promise<void> => {
    const found = await readFile(path, 'utf8')
    if (found === source) return
    const next = await ready(() => open(found)).catch(error => {
      // An invalid file stays invalid, whereas an unavailable issuer may respond to the next request.
      if (error instanceof ConfigurationError) source = found
      throw error
    })
    const before = current
    source = found
    current = next
    logged = ''
    log.info('reloaded the authentication configuration', { file: path, issuers: issuersOf(next) })
    await before.close()
  }
  const keep = (error: Error): void => {
    if (isClosed || logged === error.message) return
    logged = error.message
    log.error('failed to reload the authentication configuration, using the previous one', { file: path, error })
  }

  const first = current.ready().then(
    () => log.info('fetched the keys of the token issuers', { file: path, issuers: issuersOf(current) }),
    error => !isClosed && log.error('failed to fetch the keys of a token issuer', { file: path, error }),
  )
  let checking: Promise<unknown> = first
  let isChecking = false
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    checking = check()
      .catch(keep)
      .finally(() => {
        isChecking = false
      })
  }, checkMs)
  timer.unref()
  return {
    authenticate: authenticateWith(ports, async () => current),
    loginIssuers: () => loginIssuersOf(current),
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await current.close()
      await checking
    },
  }
}

/** Opens authenticators once the keys of all their issuers are known. Fails otherwise. */
const ready = async (open: () => Authenticators): Promise<Authenticators> => {
  const opened = open()
  try {
    await opened.ready()
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

const issuersOf = ({ all }: Authenticators): readonly string[] => all.map(({ issuer }) => issuer.url)
