import { readFile } from 'node:fs/promises'
import type { Authenticate } from '../hub/apiserver/authentication/caller.ts'
import { ConfigurationError } from '../hub/apiserver/configuration/read-configuration.ts'
import { type Authenticators, authenticateWith, type JwtPorts, openAuthenticators } from './jwt-authentication.ts'

/** The file of `--authentication-config`. */
export interface AuthenticationFile {
  readonly authenticate: Authenticate
  close(): Promise<void>
}

const lookEveryMs = 5_000

/**
 * Authenticates by the issuers that a file names, and goes by the file's new content once it has changed: as long as that is faulty, or an
 * issuer of it does not answer, what was valid stays so. Fails with a ConfigurationError, or the system's error, if the file can't be used at
 * the start; an issuer that does not answer then only keeps its own users out.
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
  /** What was said last: it is not said again. */
  let said = ''

  const look = async (): Promise<void> => {
    const found = await readFile(path, 'utf8')
    if (found === source) return
    const next = await ready(() => open(found)).catch(error => {
      // A faulty file stays faulty, whereas an issuer may answer when it is asked again.
      if (error instanceof ConfigurationError) source = found
      throw error
    })
    const before = current
    source = found
    current = next
    said = ''
    log.info('the authentication configuration has changed', { file: path, issuers: issuersOf(next) })
    await before.close()
  }
  const keep = (error: Error): void => {
    if (isClosed || said === error.message) return
    said = error.message
    log.error('the authentication configuration stays as it was', { file: path, error })
  }

  const asked = current.ready().then(
    () => log.info('the issuers of tokens answer', { file: path, issuers: issuersOf(current) }),
    error => !isClosed && log.error('an issuer of tokens does not answer yet', { file: path, error }),
  )
  let looking: Promise<unknown> = asked
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    looking = look()
      .catch(keep)
      .finally(() => {
        isLooking = false
      })
  }, lookEveryMs)
  timer.unref()
  return {
    authenticate: authenticateWith(ports, async () => current),
    close: async () => {
      isClosed = true
      clearInterval(timer)
      await current.close()
      await looking
    },
  }
}

/** Opens authenticators whose issuers all answer, or none. */
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
