import { readFileSync } from 'node:fs'
import { authenticationFault } from '../lib/compose/jwt-authentication.ts'
import { ContextError } from './context.ts'

/** The content of the file that `authenticationConfig` names, if a hub can use it. Fails with ContextError. */
export const authenticationConfigOf = (file: string, tokenIssuer: unknown): string => {
  const source = contentOf(file)
  const fault = authenticationFault(source, typeof tokenIssuer === 'string' ? tokenIssuer : undefined)
  if (fault) throw new ContextError([`authenticationConfig: ${file}: ${fault}`])
  return source
}

const contentOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ContextError([`authenticationConfig: ${(error as Error).message}`])
  }
}
