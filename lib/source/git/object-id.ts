/** Whether a text can name an object of a repository: a SHA-1 in hexadecimal digits. */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
