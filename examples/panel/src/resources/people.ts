import {
  type ActionContext,
  type ActionRequest,
  type BaseRecord,
  type RecordActionResponse,
  ValidationError,
} from 'adminjs';
import type { DataSource } from 'typeorm';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { asValidationError } from '../adapter/constraint-messages.js';
import { COMPONENTS } from '../components.js';
import { ApiToken, issueToken, Respondent, revokeToken, User } from 'formtrail-entities';
import { DISABLED, listedWithout, ON_NARROW_SCREENS, type PanelResource } from '../panel-resource.js';

/** A public form can have thousands of respondents, so the lists show them only if the filter asks for them. */
const WITHOUT_RESPONDENTS = { before: listedWithout('isRespondent') };

export function usersResource(dataSource: DataSource): PanelResource {
  return {
    name: 'Users',
    record: 'User',
    resource: {
      dataSource,
      entity: User,
      computed: {
        isRespondent: (key) => `exists (select from respondents where respondents.user_id = ${key})`,
      },
      titleOf: ({ id, email, isRespondent }) =>
        String(email || `${isRespondent ? 'Respondent' : 'User'} ${id}`),
      constraintMessages: {
        users_email_key: ['email', 'Another user already has this address.'],
        users_email_check: ['email', 'Enter an address.'],
        users_tokens_valid_from_check: ['tokensValidFrom', 'Choose a time before the year 10000, or none.'],
        submissions_user_id_fkey: ['', 'The user has submissions. “formtrail users erase” deletes both.'],
      },
    },
    labels: {
      id: 'Number',
      email: 'Email address',
      isRespondent: 'Respondent',
      tokensValidFrom: 'Sign-ins valid from',
      createdAt: 'Created',
    },
    actions: { new: 'New user' },
    messages: { confirmDelete: 'Delete this user and their tokens?' },
    options: {
      navigation: { name: 'Access', icon: 'Key' },
      titleProperty: 'email',
      sort: { sortBy: 'email', direction: 'asc' },
      listProperties: ['id', 'email', 'isRespondent', 'tokensValidFrom', 'createdAt'],
      filterProperties: ['email', 'isRespondent', 'tokensValidFrom', 'createdAt'],
      showProperties: ['id', 'email', 'isRespondent', 'tokensValidFrom', 'createdAt'],
      editProperties: ['email', 'tokensValidFrom'],
      properties: {
        tokensValidFrom: {
          description:
            'Sign-ins before this time are rejected. Set it to now to sign the user out. API tokens stay valid',
        },
      },
      actions: {
        list: WITHOUT_RESPONDENTS,
        search: WITHOUT_RESPONDENTS,
        // A respondent has no address, and no tokens of an identity provider.
        edit: { isAccessible: ({ record }: ActionContext) => record?.get('isRespondent') !== true },
        bulkDelete: DISABLED,
      },
    },
  };
}

export function tokensResource(dataSource: DataSource): PanelResource {
  const isValid = ({ record }: ActionContext) => record?.get('revokedAt') == null;

  /** Returns the plain token beside the record, because it is not stored anywhere. */
  const issue = async (request: ActionRequest, _: unknown, context: ActionContext) => {
    const { resource, currentAdmin } = context;
    const { userId, name, expiresAt } = (request.payload ?? {}) as Partial<Record<string, string>>;
    const record = resource.build({ userId, name, expiresAt });
    if (!userId) record.errors = { userId: { message: 'Choose the user of the token.' } };
    else if (await dataSource.manager.existsBy(Respondent, { userId: Number(userId) }))
      record.errors = { userId: { message: 'The service issues the tokens of respondents.' } };
    else if (expiresAt && !(new Date(expiresAt) > new Date()))
      record.errors = { expiresAt: { message: 'Choose a time in the future, or none.' } };
    const invalid = () => ({
      record: record.toJSON(currentAdmin),
      notice: { message: 'thereWereValidationErrors', type: 'error' as const },
    });
    if (!record.isValid()) return invalid();
    try {
      const { plainToken } = await asSignedIn(dataSource, context, (manager) =>
        issueToken(manager, {
          userId: Number(userId),
          name: name || null,
          expiresAt: expiresAt ? new Date(expiresAt) : null,
        }),
      );
      return { record: record.toJSON(currentAdmin), plainToken };
    } catch (error) {
      const validationError = asValidationError(error, {
        api_tokens_user_id_fkey: ['userId', 'This user no longer exists. Choose another one.'],
        api_tokens_expires_at_check: ['expiresAt', 'Choose a time before the year 10000, or none.'],
      });
      if (!(validationError instanceof ValidationError)) throw validationError;
      record.errors = validationError.propertyErrors;
      return invalid();
    }
  };

  const revoke = async (
    request: ActionRequest,
    _: unknown,
    context: ActionContext,
  ): Promise<RecordActionResponse> => {
    const { h, resource, currentAdmin } = context;
    const record = context.record as BaseRecord;
    if (request.method !== 'post') return { record: record.toJSON(currentAdmin) };
    await asSignedIn(dataSource, context, (manager) => revokeToken(manager, Number(record.id())));
    return {
      record: record.toJSON(currentAdmin),
      redirectUrl: h.resourceUrl({ resourceId: resource.id() }),
      notice: { message: 'Revoked: the service rejects the token from now on.', type: 'success' },
    };
  };

  return {
    name: 'Tokens',
    record: 'Token',
    resource: {
      dataSource,
      entity: ApiToken,
      computed: {
        isRespondent: (key) =>
          `exists (select from api_tokens join respondents using (user_id) where api_tokens.id = ${key})`,
      },
      titleOf: ({ id, name }) => String(name || `Number ${id}`),
    },
    labels: {
      userId: 'User',
      isRespondent: 'Respondent',
      createdAt: 'Issued',
      expiresAt: 'Expires',
      revokedAt: 'Revoked',
    },
    actions: { new: 'Issue token', delete: 'Revoke' },
    messages: { confirmDelete: 'Revoke this token permanently? The service will reject it at once.' },
    options: {
      navigation: { name: 'Access', icon: 'Key' },
      titleProperty: 'name',
      sort: { sortBy: 'createdAt', direction: 'desc' },
      listProperties: ['name', 'userId', 'createdAt', 'expiresAt', 'revokedAt'],
      filterProperties: ['name', 'userId', 'isRespondent', 'expiresAt', 'revokedAt'],
      showProperties: ['name', 'userId', 'createdAt', 'expiresAt', 'revokedAt'],
      editProperties: ['userId', 'name', 'expiresAt'],
      properties: {
        userId: { ...ON_NARROW_SCREENS, props: { inputId: 'userId' } },
        name: { description: 'The purpose of the token' },
        expiresAt: { description: 'Never if empty', components: { edit: COMPONENTS.Time } },
      },
      actions: {
        list: WITHOUT_RESPONDENTS,
        new: { component: COMPONENTS.IssueToken, handler: issue },
        edit: DISABLED,
        // Named `delete`, because AdminJS then asks for confirmation and sends a POST request.
        delete: { handler: revoke, guard: 'confirmDelete', icon: 'Slash', isAccessible: isValid },
        bulkDelete: DISABLED,
      },
    },
  };
}
