import { Cursor } from './cursor.ts'
import { scanQuoted } from './scan-quoted.ts'

/** A text after it was written as a JSON string and read as YAML. */
export const scanQuotedText = (text: string): string => scanQuoted(new Cursor(JSON.stringify(text))).value
