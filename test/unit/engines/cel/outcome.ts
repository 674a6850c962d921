import { CelError } from '../../../../lib/engines/cel/cel-error.ts'

/** What an evaluation comes to: the value as text, or why there is none, in cel-go's words where they are ours too. */
export const outcomeOf = (text: string, evaluate: () => string): string => {
  try {
    return evaluate()
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.stage === 'parse') return error.message.startsWith('failed to create') ? error.message : 'parse error'
    return error.message.replace(`failed to evaluate the CEL expression '${text}': `, 'error: ')
  }
}
