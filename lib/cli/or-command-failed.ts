import { ClusterError } from '../clusters/client/client.ts'
import { CommandFailed } from './command-failed.ts'

interface Wording {
  /** Before the message. */
  readonly doing?: string
  readonly exitCode?: number
}

/** For work that fails because of objects of the hub, which the user can fix. A ClusterError is passed on. */
export const orCommandFailed = async <T>(
  work: () => T | Promise<T>,
  { doing = '', exitCode = 1 }: Wording = {},
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ClusterError) throw error
    throw new CommandFailed(`${doing}${(error as Error).message}`, { exitCode, cause: error })
  }
}
