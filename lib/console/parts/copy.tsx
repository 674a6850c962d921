import { useState } from 'preact/hooks'

/** A command that does the same in a terminal, to be copied. */
export const CopyCommand = ({
  command,
  label = 'Copy as kubectl',
}: {
  readonly command: string
  readonly label?: string
}) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(command)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="plain copy" title={command} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
