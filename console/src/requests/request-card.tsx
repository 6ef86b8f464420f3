/** One change request: who asks for what, the difference, the decisions, and what the user can do. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { FormDialog } from '../dialog/form-dialog.tsx';
import { Difference } from '../editor/review/difference-view.tsx';
import { featurePath } from '../feature-link.tsx';
import { Field, textIn } from '../field.tsx';
import { timeText } from '../times.ts';
import { CommentForm } from './comment-form.tsx';
import { Effects } from './effects.tsx';
import { type ChangeRequest, type Decision, decideOn, isOpen, reviewPath } from './requests-query.ts';
import { useIsUser } from './use-is-user.ts';

const ACTIONS = [
  { state: 'Approved', name: 'Approve', question: 'Approve this change?' },
  { state: 'Rejected', name: 'Reject', question: 'Reject this change?' },
  { state: 'Cancelled', name: 'Withdraw', question: 'Withdraw this request?' },
] as const;
type Action = (typeof ACTIONS)[number];

/** Whether it says what users get. */
function hasEffects(request: ChangeRequest): boolean {
  return isOpen(request) && ['FeatureFlag', 'Segment'].includes(request.target.kind);
}

interface RequestCardProps {
  readonly request: ChangeRequest;
  /** Whether the page shows only this request. */
  readonly isAlone?: boolean;
}

export function RequestCard({ request, isAlone = false }: RequestCardProps) {
  const { id, project, target, environments, state, reason, createdBy, createdAt, applyAt } = request;
  const [action, setAction] = useState<Action>();
  const client = useQueryClient();
  const deciding = useMutation({
    mutationFn: (decision: Decision) => decideOn(request, decision),
    onSettled: () => client.invalidateQueries({ queryKey: ['change-requests'] }),
  });
  return (
    <section className="card" aria-labelledby={`request-${id}`}>
      <h2 id={`request-${id}`}>
        <Target request={request} />
        {target.kind !== 'Environment' && ` in ${environments.join(', ')}`}
      </h2>
      <p>
        <strong>{state}</strong>, {request.approvedBy.length} of {request.minApprovals} approvals. Asked for by{' '}
        {createdBy}, {timeText(createdAt)}
        {applyAt !== null && <>, for {timeText(applyAt)}</>}.
      </p>
      {reason !== null && <p>Why: {reason}</p>}
      {request.message !== null && <p className="hint message">{request.message}</p>}
      {project !== null && hasEffects(request) && <Effects place={{ project, id }} isOpenAtFirst={isAlone} />}
      {request.present && (
        <Difference before={valuesText(request.present)} after={valuesText(request.wanted)} label={`Change ${id}`} />
      )}
      <Decisions request={request} />
      {isOpen(request) && <Actions id={id} isDisabled={deciding.isPending} onChoose={setAction} />}
      {deciding.error && (
        <p role="alert" className="error message">
          {deciding.error.message}
        </p>
      )}
      {action && (
        <DecisionDialog
          action={action}
          onClose={() => setAction(undefined)}
          onDecide={(comment) => deciding.mutate({ state: action.state, comment })}
        />
      )}
      <Foot request={request} isAlone={isAlone} />
    </section>
  );
}

/** A request whose target is gone has no page. */
function Foot({ request, isAlone }: Required<RequestCardProps>) {
  const { id, project } = request;
  if (project === null) return null;
  if (isAlone) return <CommentForm request={request} />;
  return (
    <div className="actions">
      <Link className="button" href={reviewPath({ project, id })} aria-label={`Open the request ${id}`}>
        Open the request
      </Link>
    </div>
  );
}

interface ActionsProps {
  readonly id: string;
  readonly isDisabled: boolean;
  readonly onChoose: (action: Action) => void;
}

function Actions({ id, isDisabled, onChoose }: ActionsProps) {
  const isUser = useIsUser();
  if (!isUser) {
    return (
      <p className="hint">
        Only a user can decide. Sign in as one, or run <code>vexil approve {id}</code>.
      </p>
    );
  }
  return (
    <div className="actions">
      {ACTIONS.map((one) => (
        <button
          key={one.state}
          type="button"
          className={one.state === 'Approved' ? 'primary' : undefined}
          disabled={isDisabled}
          onClick={() => onChoose(one)}
        >
          {one.name}
        </button>
      ))}
    </div>
  );
}

function Target({ request }: { readonly request: ChangeRequest }) {
  const { kind, name } = request.target;
  const page = pageOf(request);
  return (
    <>
      {kind !== 'FeatureFlag' && `${kind} `}
      {page === undefined ? name : <Link href={page}>{name}</Link>}
    </>
  );
}

/** Undefined: the target is gone. */
function pageOf({ project, segment, target: { kind, name } }: ChangeRequest): string | undefined {
  if (project === null) return undefined;
  if (kind === 'FeatureFlag') return featurePath(project, name);
  if (kind === 'Segment') return segment ? `/segments/edit/${segment.id}` : undefined;
  return kind === 'Project' ? `/projects/${encodeURIComponent(name)}` : '/environments';
}

const VERBS = { Approve: 'approved', Reject: 'rejected', Comment: 'commented on' } as const;

function Decisions({ request: { decisions } }: { readonly request: ChangeRequest }) {
  if (decisions.length === 0) return null;
  return (
    <ul>
      {decisions.map(({ createdBy, createdAt, decision, comment, counts, message }) => (
        <li key={`${createdBy} ${createdAt} ${comment}`}>
          {createdBy} {VERBS[decision]} it, {timeText(createdAt)}
          {comment !== null && <>: {comment}</>}
          {!counts && message !== null && <span className="hint"> Does not count: {message}</span>}
        </li>
      ))}
    </ul>
  );
}

interface DecisionDialogProps {
  readonly action: Action;
  readonly onClose: () => void;
  readonly onDecide: (comment: string | undefined) => void;
}

function DecisionDialog({ action, onClose, onDecide }: DecisionDialogProps) {
  const decide = (form: HTMLFormElement) => {
    const comment = textIn(form, 'comment') || undefined;
    onClose();
    onDecide(comment);
  };
  return (
    <FormDialog title={action.question} action={action.name} onClose={onClose} onSubmit={decide}>
      {action.state !== 'Cancelled' && (
        <Field label="Comment (optional)">
          {(ids) => <input {...ids} name="comment" maxLength={1000} autoComplete="off" />}
        </Field>
      )}
    </FormDialog>
  );
}

/** The values as lines. */
function valuesText(values: NonNullable<ChangeRequest['present']>): string {
  return JSON.stringify(values, null, 2);
}
