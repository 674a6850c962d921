import { type CommandOptions, command } from './command.ts'

/** An environment in which git ignores the user's settings, never prompts, and has an author's name. */
export const gitEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Keelson Tests',
  GIT_AUTHOR_EMAIL: 'tests@keelson.test',
  GIT_COMMITTER_NAME: 'Keelson Tests',
  GIT_COMMITTER_EMAIL: 'tests@keelson.test',
}

/** Runs git and returns its stdout without the newline at its end; fails with CommandFailed. */
export async function git(args: readonly string[], options: Omit<CommandOptions, 'env'> = {}): Promise<string> {
  return (await command('git', args, { ...options, env: gitEnv })).replace(/\n$/, '')
}
