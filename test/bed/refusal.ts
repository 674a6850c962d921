import { CommandFailed } from './command.ts'

/** What a command printed when it failed; `accepted: ...` if it did not. Other errors are thrown. */
export const refusal = async (attempt: Promise<string>): Promise<string> => {
  try {
    return `accepted: ${await attempt}`
  } catch (error) {
    if (error instanceof CommandFailed) return `${error.stdout}${error.stderr}`
    throw error
  }
}
